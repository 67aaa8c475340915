// A decision that takes two people and a reason. The server judges who may; its sentence is shown beside the form.
import { el, say } from "../../web_display/static/words.js";

const dialog = document.querySelector("dialog.decide");
const form = dialog.querySelector("form");
const find = (name) => dialog.querySelector(name);
const actions = document.body.dataset.actions;
let path = "";
let busy = false;

export function askTwoPeople({ title, what, verb, path: to, staff }) {
  path = actions + to;
  form.reset();
  find("#decide-title").textContent = title;
  find(".what").textContent = what;
  find(".do").textContent = verb;
  for (const name of ["by", "second"]) form.elements[name].replaceChildren(nobody(), ...staff.map(person));
  refused("");
  for (const name of ["by", "second", "reason"]) fault(name, "");
  dialog.showModal();
}

function nobody() {
  const option = el("option", "", say("pick"));
  option.value = "";
  return option;
}

function person({ id, name, role }) {
  const option = el("option", "", role ? `${name}, ${role}` : name);
  option.value = id;
  return option;
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

// What is missing is said at its field; false when something is.
function isWhole() {
  const asks = { by: "say_who", second: "say_second", reason: "say_reason" };
  const missing = Object.keys(asks).filter((name) => !form.elements[name].value.trim());
  for (const name of Object.keys(asks)) fault(name, missing.includes(name) ? say(asks[name]) : "");
  if (missing.length) form.elements[missing[0]].focus();
  return !missing.length;
}

async function send() {
  const { by, second, reason } = form.elements;
  const body = JSON.stringify({ by: by.value, second: second.value, reason: reason.value.trim() });
  const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body });
  return answer.json();
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (busy || !isWhole()) return;
  busy = true;
  find(".do").setAttribute("aria-disabled", "true");
  try {
    const answer = await send();
    if (answer.ok) dialog.close();
    else refused(answer.sentence ?? say("not_sent"), answer.code);
  } catch {
    refused(say("not_sent"));
  } finally {
    busy = false;
    find(".do").removeAttribute("aria-disabled");
  }
});
find("[data-back]").addEventListener("click", () => dialog.close());
