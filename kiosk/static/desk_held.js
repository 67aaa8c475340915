// Held prizes: the list with the days that are left, one of them in full, and what can be done with it.
import { mark } from "../../web_display/static/marks.js";
import { el, keyed, say, setText } from "../../web_display/static/words.js";
import { openAct } from "./desk_act.js";
import { fault } from "./desk_form.js";
import { fillHeldActs } from "./desk_held_acts.js";
import { openPapers } from "./desk_papers.js";
import { post } from "./desk_send.js";
import { me } from "./signed_words.js";

const view = document.querySelector('[data-view="held"]');
const find = (name) => view.querySelector(name);
const form = find("form.find");
const text = form.elements.text;
const MARKS = { to_draw: "wait", held: "held", to_return: "late", handed_over: "won", returned: "gone", void: "gone" };
let snapshot = null;
let chosen = "";
let matching = null;
let seen = "";

const keyOf = ({ draw, ordinal }) => `${draw} c${ordinal}`;

export function fillHeld(message) {
  snapshot = message;
  fillHeldActs(message, told);
  setText(find(".says"), summary());
  fillList();
  fillDetail();
}

function summary() {
  const { held } = snapshot;
  const counts = [
    ["held_says", held.filter(({ state }) => state === "held").length],
    ["to_draw_says", held.filter(({ state }) => state === "to_draw").length],
    ["overdue_says", held.filter(({ state }) => state === "to_return").length],
  ].filter(([, n]) => n);
  return counts.length ? `${counts.map(([key, n]) => say(key, { n })).join(". ")}.` : say("held_none");
}

// -- the list ---------------------------------------------------------------------------------------------------------

function fillList() {
  const shown = snapshot.held.filter(matches);
  keyed(find(".prizes"), shown, keyOf, makePrize, fillPrize);
  const none = find(".list .none");
  none.hidden = shown.length > 0;
  setText(none, say(text.value.trim() ? "held_none_found" : "held_none"));
  find("[data-all]").hidden = !matching;
}

function matches(prize) {
  if (matching) return matching.has(keyOf(prize));
  // What is settled is found by a search; the list is of what is still to be done.
  if (!text.value.trim()) return prize.acts.length > 0;
  const words = text.value.trim().toLowerCase().split(/\s+/);
  const known = [prize.guest, prize.last4, prize.claim, prize.pocket].join(" ").toLowerCase();
  return words.every((word) => known.includes(word));
}

function makePrize(prize) {
  const button = el(
    "button",
    "prize",
    el("span", "days", el("b"), el("span")),
    el("span", "whose", el("b"), el("span")),
    el("span", "chip"),
  );
  button.type = "button";
  button.addEventListener("click", () => choose(keyOf(prize)));
  return el("li", "", button);
}

function fillPrize(node, prize) {
  const button = node.firstElementChild;
  const [days, whose, chip] = button.children;
  setText(days.firstElementChild, prize.days_text);
  setText(days.lastElementChild, prize.claim_by_text);
  setText(whose.firstElementChild, `${prize.guest} \u00b7\u00b7\u00b7${prize.last4}`);
  setText(whose.lastElementChild, prize.custody_text);
  fillChip(chip, prize);
  button.classList.toggle("late", prize.overdue || prize.days_left <= 2);
  if (keyOf(prize) === chosen) button.setAttribute("aria-current", "true");
  else button.removeAttribute("aria-current");
}

function fillChip(chip, prize) {
  const kind = MARKS[prize.state] ?? "plain";
  if (chip.dataset.says === kind + prize.state_sentence) return;
  chip.dataset.says = kind + prize.state_sentence;
  chip.replaceChildren(mark(kind), prize.state_sentence);
}

text.addEventListener("input", () => {
  matching = null;
  fault(form, "text", "");
  if (snapshot) fillList();
});

// A whole card or member number is looked up by the server; a name is found on the page as it is typed.
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (!text.value.trim()) return;
  const answer = await post("/held/find", { text: text.value.trim() });
  if (!answer.ok) {
    fault(form, "text", answer.sentence);
    return;
  }
  const shown = snapshot.held.filter(matches);
  matching = new Set([...answer.found.map(keyOf), ...shown.map(keyOf)]);
  fillList();
  if (matching.size === 1) choose([...matching][0]);
});
find("[data-all]").addEventListener("click", () => {
  matching = null;
  text.value = "";
  fillList();
  text.focus();
});

// -- one of them ------------------------------------------------------------------------------------------------------

function choose(key) {
  chosen = key;
  seen = "";
  find(".timeline").replaceChildren();
  fillList();
  fillDetail();
  find(".detail h2").focus();
}

function fillDetail() {
  const prize = snapshot.held.find((each) => keyOf(each) === chosen);
  find(".choose").hidden = Boolean(prize) || !snapshot.held.length;
  find(".detail").hidden = !prize;
  if (!prize) return;
  setText(find(".detail h2"), `${prize.guest} \u00b7\u00b7\u00b7${prize.last4}`);
  fillChips(prize);
  const facts = {
    claim_by: `${prize.claim_by_text}, ${prize.days_text}`,
    pocket: prize.pocket || say("no_pocket"),
    custody: prize.custody_text,
    award: `${prize.award}, ${prize.of}`,
    claim: prize.claim,
    reach: prize.contact_text,
  };
  for (const [name, words] of Object.entries(facts)) setText(find(`[data-fact="${name}"]`), words);
  const acts = mayKeepPapers() && prize.claim_by_text ? [...prize.acts, "papers"] : prize.acts;
  keyed(find(".acts"), acts, (act) => act, makeAct, (node) => {
    node.onclick = () => (node.dataset.key === "papers" ? openPapersOf(prize) : openAct(node.dataset.key, prize));
  });
  look(prize);
}

const mayKeepPapers = () => (snapshot.roles.papers ?? []).includes(me.role);

function openPapersOf(prize) {
  openPapers({ of: `prize:${prize.draw}:${prize.claim}`, title: say("papers_of_prize", prize) });
}

function fillChips(prize) {
  const chips = [el("span", "chip", mark(MARKS[prize.state] ?? "plain"), prize.state_sentence)];
  if (prize.alarm) chips.push(el("span", "chip warn", mark("late"), say("too_few")));
  const made = chips.map(({ textContent }) => textContent).join();
  const place = find(".chips");
  if (place.dataset.says === made) return;
  place.dataset.says = made;
  place.replaceChildren(...chips);
}

function makeAct(act) {
  const button = el("button", act === "hand_over" || act === "draw" ? "btn do" : "btn", say(`act_${act}`));
  button.type = "button";
  return button;
}

// What happened is asked for when something about the prize has changed; the list does without it.
async function look(prize) {
  const { days_left: _left, days_text: _text, ...known } = prize;
  const now = JSON.stringify(known);
  if (now === seen) return;
  seen = now;
  const answer = await post("/held/see", { draw: prize.draw, ordinal: prize.ordinal });
  if (keyOf(prize) !== chosen) return;
  if (!answer.ok) {
    seen = "";
    return;
  }
  find(".nothing").hidden = answer.happened.length > 0;
  keyed(find(".timeline"), answer.happened, ({ key }) => key, makeStep, fillStep);
}

function makeStep() {
  return el("li", "", el("time"), el("span", "sign", mark("plain")), el("p", "", el("span"), el("small")));
}

function fillStep(node, { at, sentence, by }) {
  setText(node.firstElementChild, at);
  setText(node.querySelector("p > span"), sentence);
  setText(node.querySelector("small"), by);
}

function told() {
  seen = "";
  fillDetail();
}
