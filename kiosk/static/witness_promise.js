// What the house is held to: the commitment, the rule book, and the printed checkpoints that the witness compares.
import { clockText } from "../../web_display/static/server_clock.js";
import { el, keyed, say, setText } from "../../web_display/static/words.js";
import { mark } from "../../web_display/static/marks.js";
import { fillGroups } from "./witness_groups.js";

const ENDS = 8;
const place = document.querySelector(".promise");

// The checkpoints of a draw whose paper agreed: kept for a reload, on this tablet alone.
export function compared(draw) {
  return JSON.parse(sessionStorage.getItem(`slips ${draw}`) ?? "[]");
}

function agreed(draw, seq) {
  sessionStorage.setItem(`slips ${draw}`, JSON.stringify([...new Set([...compared(draw), seq])]));
}

export function fillPromise(shown, offset) {
  fillGroups(place.querySelector(".commitment"), shown.commitment, 4);
  setText(place.querySelector(".rules"), say("rules", { version: shown.rules_version }));
  const key = (one) => `${shown.id} ${one.seq}`;
  keyed(place.querySelector(".slips"), shown.checkpoints, key, (one) => makeSlip(shown.id, one, offset), (card, one) => {
    if (compared(shown.id).includes(one.seq)) tell(card, "agrees", say("agrees"));
  });
}

function makeSlip(draw, one, offset) {
  const id = `slip-${one.seq}`;
  const label = el("label", "", say("slip_ends"));
  label.htmlFor = id;
  const input = el("input");
  Object.assign(input, { id, maxLength: 12, autocomplete: "off", spellcheck: false, autocapitalize: "none" });
  input.setAttribute("aria-describedby", `${id}-says`);
  const button = el("button", "btn", say("compare"));
  const says = el("p", "says");
  says.id = `${id}-says`;
  says.setAttribute("role", "status");
  const form = el("form", "with-button", el("div", "field", label, input), button);
  const card = el("li", "slip", el("p", "of", say("slip", { seq: one.seq, time: clockText(one.at, offset, true) })), form, says);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    compare(card, input, draw, one);
  });
  return card;
}

function compare(card, input, draw, one) {
  const typed = input.value.replace(/\s+/g, "").toLowerCase();
  const ends = one.hash.slice(-ENDS);
  if (!/^[0-9a-f]{8}$/.test(typed)) return tell(card, "form", say("slip_form"));
  if (typed !== ends) return tell(card, "differs", say("differs", { typed, ends }));
  agreed(draw, one.seq);
  return tell(card, "agrees", say("agrees"));
}

function tell(card, kind, sentence) {
  const says = card.querySelector(".says");
  if (says.dataset.says === sentence) return;
  says.dataset.says = sentence;
  card.classList.toggle("agrees", kind === "agrees");
  card.classList.toggle("stop", kind !== "agrees");
  card.querySelector("form").hidden = kind === "agrees";
  card.querySelector("input").setAttribute("aria-invalid", String(kind !== "agrees"));
  says.replaceChildren(mark(kind === "agrees" ? "won" : "late"), sentence);
}
