// Signing in and enrolling a device: number and secret, faults at their field, digits for a finger.
import { wireChoose } from "./sign_in_choose.js";
import { wireEnrol } from "./sign_in_enrol.js";
import { goOn, trySend } from "./sign_in_go.js";
import { wireKeys, wireShow } from "./sign_in_keys.js";
import { clearFaults, fault, focusField, showRefusal } from "./form_faults.js";
import { say } from "../../web_display/static/words.js";

const FAULTS = { X_WRONG_SECRET: "secret", X_LOCKED_OUT: "secret", X_TOO_MANY_TRIES: "secret", X_VALUE_WRONG: "number" };
const form = document.querySelector('[data-form="sign-in"]');
const { mustChange, to = "" } = document.body.dataset;

function wireSignIn(choose) {
  const { number, secret } = form.elements;
  let busy = false;

  function tellBusy(is) {
    const button = form.querySelector(".do");
    button.textContent = say(is ? "sending" : "do");
    if (is) button.setAttribute("aria-disabled", "true");
    else button.removeAttribute("aria-disabled");
  }

  async function signIn(who, said) {
    if (busy) return;
    busy = true;
    clearFaults(form);
    tellBusy(true);
    const answer = await trySend("/sign-in", { number: who, secret: said, to });
    busy = false;
    tellBusy(false);
    secret.value = "";
    if (!answer.ok) return showRefusal(form, answer, FAULTS);
    if (!answer.must_change) return goOn(answer.to);
    form.hidden = true;
    return choose({ old: said });
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearFaults(form);
    const missing = ["secret", "number"].filter((name) => !form.elements[name].value.trim());
    for (const name of missing) fault(form, name, say(`need_${name}`));
    if (missing.length) focusField(form, missing.at(-1));
    else signIn(number.value.trim(), secret.value);
  });
  form.addEventListener("input", (event) => fault(form, event.target.name, ""));
  for (const person of document.querySelectorAll("[data-person]")) {
    person.addEventListener("click", () => signIn(person.dataset.person, person.dataset.secret));
  }
  form.hidden = false;
  number.focus({ preventScroll: true });
}

if (form) {
  wireShow();
  wireKeys();
  const choose = wireChoose(to);
  const changes = location.hash === "#change" && document.querySelector(".is-in");
  if (mustChange !== undefined || changes) choose({});
  else wireSignIn(choose);
  document.querySelector("[data-leave]")?.addEventListener("click", async () => {
    const answer = await trySend("/sign-out", {});
    if (answer.ok) goOn("/sign-in");
  });
} else wireEnrol();
