// A decision with a reason that takes two people: whoever is signed in, and one who types number and secret on the spot.
// A few are one person's (`alone`): the part for the second is then not there.
// The server judges who may; its sentence is shown at the field it is about.
import { el, say } from "../../web_display/static/words.js";
import { clearFaults, fault, focusField, refused, showRefusal } from "./form_faults.js";
import { send } from "./page_send.js";
import { SECOND_FAULTS, SecondPerson } from "./second_person.js";

const dialog = document.querySelector("dialog.decide");
const form = dialog.querySelector("form");
const find = (name) => dialog.querySelector(name);
const options = find(".options");
const second = new SecondPerson(form);
const secondPart = form.querySelector(".second");
const FAULTS = { ...SECOND_FAULTS, X_REASON_REQUIRED: "reason" };
let asked = {};
let busy = false;

// `choice` = {legend, options: [{value, text, then}], value} where more than a reason is asked; `more` what its answer
// adds to what is sent; `stops` marks what takes something away; `then` is done once it is; `patience` ms for the answer.
export function askTwoPeople({ title, what, verb, path, choice = null, more = () => ({}), stops = false, alone = false, then = () => {}, patience }) {
  asked = { path, choice, more, alone, then, patience };
  secondPart.hidden = alone;
  form.reset();
  fillChoice(choice);
  find(".do").classList.toggle("stop", stops);
  find("#decide-title").textContent = title;
  find(".what").textContent = what;
  find(".do").textContent = verb;
  clearFaults(form);
  dialog.showModal();
}

function fillChoice(choice) {
  options.hidden = !choice;
  if (!choice) return;
  options.querySelector("legend").textContent = choice.legend;
  options.querySelector("div").replaceChildren(...choice.options.map((each) => option(each, each.value === choice.value)));
}

function option({ value, text, then }, chosen) {
  const input = el("input");
  Object.assign(input, { type: "radio", name: "choice", value, checked: chosen, defaultChecked: chosen });
  return el("label", "option", input, el("span", "", el("b", "", text), el("small", "", then)));
}

// What is missing is said at its field; false when something is.
function isWhole() {
  const missing = asked.alone ? [] : second.missing("say");
  if (!form.elements.reason.value.trim()) missing.push(["reason", say("say_reason")]);
  clearFaults(form);
  for (const [name, sentence] of missing) fault(form, name, sentence);
  if (missing.length) focusField(form, missing[0][0]);
  return !missing.length;
}

async function decide() {
  const chosen = form.querySelector('[name="choice"]:checked')?.value;
  const said = { ...(asked.alone ? {} : second.take()), reason: form.elements.reason.value.trim() };
  const more = asked.more(asked.choice ? chosen : undefined);
  return (await send(asked.path, { ...said, ...more }, { patience: asked.patience })).said;
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (busy || !isWhole()) return;
  busy = true;
  find(".do").setAttribute("aria-disabled", "true");
  try {
    const answer = await decide();
    if (answer.ok) {
      dialog.close();
      asked.then();
    } else showRefusal(form, { sentence: say("not_sent"), ...answer }, FAULTS);
  } catch {
    refused(form, say("not_sent"));
  } finally {
    busy = false;
    find(".do").removeAttribute("aria-disabled");
  }
});
form.addEventListener("input", (event) => {
  const field = event.target.closest("[data-field]");
  if (field) fault(form, field.dataset.field, "");
});
dialog.addEventListener("close", () => form.reset());
find("[data-back]").addEventListener("click", () => dialog.close());
