// A code from the console makes this device one of the house's.
import { say } from "../../web_display/static/words.js";
import { clearFaults, fault, focusField, showRefusal } from "./form_faults.js";
import { trySend } from "./sign_in_go.js";

const FAULTS = { X_CODE_WRONG: "code", X_TOO_MANY_TRIES: "code", X_VALUE_WRONG: "code" };

export function wireEnrol() {
  const form = document.querySelector('[data-form="enrol"]');
  const { code } = form.elements;
  let busy = false;
  // The picture on the console leads here with the code behind the #, which no server is sent.
  const given = new URLSearchParams(location.hash.slice(1)).get("code");
  if (given) {
    code.value = given;
    history.replaceState(null, "", location.pathname);
  }
  form.addEventListener("input", () => fault(form, "code", ""));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    clearFaults(form);
    if (!code.value.trim()) {
      fault(form, "code", say("need_code"));
      return focusField(form, "code");
    }
    if (busy) return undefined;
    busy = true;
    const answer = await trySend("/enrol", { code: code.value });
    busy = false;
    return answer.ok ? show(form, answer) : showRefusal(form, answer, FAULTS);
  });
  code.focus({ preventScroll: true });
}

function show(form, { device, to }) {
  const done = document.querySelector(".enrolled");
  done.querySelector("h1").textContent = say("done", device);
  done.querySelector("p").textContent = say("done_what", { kind: say(`kind_${device.kind}`) });
  const next = done.querySelector("a");
  next.href = to;
  next.textContent = say(device.kind === "screen" ? "next_screen" : "next_sign_in");
  document.querySelector(".is-in")?.remove();
  form.hidden = true;
  done.hidden = false;
  done.querySelector("h1").focus();
}
