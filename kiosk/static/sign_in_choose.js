// Choosing a secret of one's own: after a code, which was for once, or because somebody wants another.
import { say } from "../../web_display/static/words.js";
import { clearFaults, fault, focusField, showRefusal } from "./form_faults.js";
import { goOn, trySend } from "./sign_in_go.js";
import { me } from "./signed_words.js";

const FAULTS = { X_WRONG_SECRET: "old", X_LOCKED_OUT: "old", X_TOO_MANY_TRIES: "old", X_SECRET_WEAK: "new" };
const form = document.querySelector('[data-form="choose"]');
const asks = { old: () => say("need_old"), new: () => say("need_new"), again: () => say("not_same") };

// Gives what shows the form; `old`: what was just typed, so that it is not asked for twice.
export function wireChoose(to) {
  const fields = form.elements;
  let known = "";
  let busy = false;

  function missing() {
    const open = Object.keys(asks).filter((name) => !fields[name].value && !(name === "old" && known));
    if (!open.length && fields.new.value !== fields.again.value) open.push("again");
    return open;
  }

  form.addEventListener("input", (event) => fault(form, event.target.name, ""));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    clearFaults(form);
    const open = missing();
    for (const name of open) fault(form, name, asks[name]());
    if (open.length) return focusField(form, open[0]);
    if (busy) return undefined;
    busy = true;
    const answer = await trySend("/sign-in/secret", { old: known || fields.old.value, new: fields.new.value, to });
    busy = false;
    if (answer.ok) return goOn(answer.to);
    if (FAULTS[answer.code] === "old") askOld();
    return showRefusal(form, answer, FAULTS);
  });

  function askOld() {
    known = fields.old.value = "";
    form.querySelector('[data-field="old"]').hidden = false;
  }

  return ({ old = "" }) => {
    known = old;
    const has = document.body.dataset.mustChange !== undefined || Boolean(old);
    form.querySelector("h1").textContent = say(has ? "choose_title" : "change_title");
    form.querySelector(".what").textContent = has ? say("choose_what") : say("change_what", me);
    form.querySelector(".do").textContent = say(has ? "choose_do" : "change_do");
    form.querySelector("[data-leave-it]").hidden = has;
    form.querySelector('[data-field="old"]').hidden = Boolean(old);
    form.hidden = false;
    fields[old ? "new" : "old"].focus();
  };
}
