// What the person signed in and a second one decide: the second types number and secret on the spot.
import { el, say } from "../../web_display/static/words.js";
import { post } from "./setup_send.js";

const dialog = document.getElementById("two");
const form = dialog.querySelector("form");
const find = (name) => dialog.querySelector(name);
const ASKS = { second: "say_second", second_secret: "say_secret", reason: "say_reason" };
const FIELD_OF = {
  X_SAME_PERSON: "second",
  X_GAVE_THE_CODE: "second",
  X_SECOND_PERSON_REQUIRED: "second",
  X_WRONG_SECRET: "second_secret",
  X_LOCKED_OUT: "second_secret",
  X_REASON_REQUIRED: "reason",
};
let asked = {};
let busy = false;

export function askTwo({ title, what, verb, path, stops = false, then }) {
  asked = { path, then };
  form.reset();
  find(".do").classList.toggle("stop", stops);
  find("#two-title").textContent = title;
  find(".what").textContent = what;
  find(".do").textContent = verb;
  refused("");
  for (const name of Object.keys(ASKS)) fault(name, "");
  dialog.showModal();
}

function fault(name, sentence) {
  const line = find(`#${name}-fault`);
  line.textContent = sentence;
  line.hidden = !sentence;
  form.elements[name].setAttribute("aria-invalid", String(Boolean(sentence)));
}

function refused(sentence, code = "") {
  const line = find(".refused");
  line.hidden = !sentence;
  line.replaceChildren(sentence, " ", el("small", "", code));
}

function isWhole() {
  const missing = Object.keys(ASKS).filter((name) => !form.elements[name].value.trim());
  for (const name of Object.keys(ASKS)) fault(name, missing.includes(name) ? say(ASKS[name]) : "");
  if (missing.length) form.elements[missing[0]].focus();
  return !missing.length;
}

function told(answer) {
  const name = FIELD_OF[answer.code];
  if (!name) return refused(answer.sentence, answer.code ?? "");
  fault(name, answer.sentence);
  form.elements[name].focus();
  return undefined;
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (busy || !isWhole()) return;
  busy = true;
  refused("");
  find(".do").setAttribute("aria-disabled", "true");
  const { second, second_secret: secret, reason } = form.elements;
  const said = { second: second.value.trim(), second_secret: secret.value, reason: reason.value.trim() };
  const answer = await post(asked.path, said);
  busy = false;
  find(".do").removeAttribute("aria-disabled");
  if (!answer.ok) return void told(answer);
  dialog.close();
  asked.then();
});
dialog.addEventListener("close", () => form.reset()); // a secret does not stay on a page
find("[data-back]").addEventListener("click", () => dialog.close());
