// Each selection as it falls: the pool frozen for it, its ticket, what became of it; redone here once the seed is open.
import { mark } from "../../web_display/static/marks.js";
import { el, keyed, say, setText } from "../../web_display/static/words.js";
import { opensCommitment, redone } from "./witness_arithmetic.js";
import { groups } from "./witness_groups.js";

const place = document.querySelector(".made");
const MARKS = { confirmed: "won", held: "held", running: "run" };
const found = new Map(); // draw id -> what the redone tickets say
let latest = null; // the shown draw as it is now: a card outlives the message it was made from

export function fillSelections(shown) {
  latest = shown;
  const newest = [...shown.selections].reverse();
  keyed(place.querySelector(".selections"), newest, (made) => `${shown.id} ${made.ordinal}`, makeCard, fillCard);
  place.querySelector(".none").hidden = newest.length > 0;
  setText(place.querySelector(".certify-says"), shown.certify.may || shown.certify.done ? "" : shown.certify.sentence);
  fillRedone(shown);
}

function makeCard(made) {
  const again = made.after === null ? "" : say("again", { n: made.after });
  const head = el("p", "head", el("b", "", made.at_text), el("span", "", `${say("award")} ${made.award}`), el("span", "quiet", again), el("span", "became"));
  const sum = say("sum", { ticket: made.ticket, last: String(BigInt(made.total) - 1n), line: String(BigInt(made.ticket) + 1n) });
  const root = el("p", "hash", ...groups(made.root, 4));
  const steps = el("div", "steps");
  const more = el("details", "by-hand", el("summary", "", say("by_hand")), steps);
  more.addEventListener("toggle", () => more.open && fillSteps(steps, latest, made));
  return el("li", "selection", head, el("p", "size", say("guests", { n: made.size })), root, el("p", "sum", sum), el("p", "hash ref", say("ref", { ref: made.ref })), more);
}

function fillCard(card, made) {
  const became = card.querySelector(".became");
  if (became.dataset.says === made.outcome) return;
  became.dataset.says = made.outcome;
  became.className = `became ${made.outcome}`;
  became.replaceChildren(mark(MARKS[made.outcome] ?? "gone"), made.outcome_text);
}

async function fillSteps(steps, shown, made) {
  if (steps.childElementCount) return;
  const { message, key, x, ticket } = await redone(shown.id, shown.house_seed, made);
  const line = (name, value) => [el("dt", "", name), el("dd", "hash", value)];
  steps.replaceChildren(el("dl", "",
    ...line(say("seed"), shown.house_seed),
    ...line(say("step_message"), message),
    ...line(say("step_key"), key),
    ...line(say("step_x"), x),
    ...line(say("step_rest", { total: made.total }), ticket)));
}

function fillRedone(shown) {
  const says = place.querySelector(".redone");
  const opens = document.querySelector(".promise .opens");
  const closed = shown.house_seed !== null;
  for (const more of place.querySelectorAll(".by-hand")) more.hidden = !closed;
  opens.hidden = true;
  says.classList.remove("stop");
  if (!closed) return setText(says, shown.selections.length ? say("sum_waits") : "");
  const known = found.get(shown.id);
  if (!known) {
    found.set(shown.id, {});
    redoAll(shown).then((result) => {
      found.set(shown.id, result);
      fillRedone(shown);
    });
    return setText(says, "");
  }
  if (known.opens === undefined) return undefined;
  opens.hidden = false;
  opens.classList.toggle("stop", !known.opens);
  opens.replaceChildren(mark(known.opens ? "won" : "late"), say(known.opens ? "opens" : "opens_not"));
  says.classList.toggle("stop", known.wrong.length > 0);
  const sentence = known.wrong.length ? say("sum_wrong", { list: known.wrong.join(", ") }) : say("sum_checked", { n: shown.selections.length });
  return setText(says, shown.selections.length ? sentence : "");
}

async function redoAll(shown) {
  const wrong = [];
  for (const made of shown.selections) {
    const { ticket } = await redone(shown.id, shown.house_seed, made);
    if (ticket !== made.ticket) wrong.push(made.ordinal);
  }
  return { opens: await opensCommitment(shown), wrong };
}
