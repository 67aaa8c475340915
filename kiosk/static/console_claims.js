// What runs: who has it, for how long, what is left; and what waits for two people.
import { mark } from "../../web_display/static/marks.js";
import { secondsLeft } from "../../web_display/static/server_clock.js";
import { el, keyed, say, setText } from "../../web_display/static/words.js";
import { askTwoPeople } from "./two_people.js";

const MARKS = { announced: "run", with_crew: "wait", held: "held", confirmed: "won", ended: "gone" };
const ACTS = { exchange: exchangeEnvelope, void: voidClaim };
const find = (name) => document.querySelector(`.running ${name}`);
const keyOf = ({ draw, ordinal }) => `${draw} c${ordinal}`;
let may = { may_act: false };

export function fillClaims(snapshot) {
  const { claims } = snapshot;
  may = snapshot;
  const waiting = claims.filter(({ review }) => review);
  keyed(find(".reviews"), waiting, keyOf, makeReview, fillReview);
  find(".table").hidden = !claims.length;
  find(".none").hidden = claims.length > 0;
  keyed(find("tbody"), claims, keyOf, makeRow, fillRow);
}

export function markOf({ state }) {
  return MARKS[state];
}

// A row of a table whose cells know their heading: on a telephone each stands beside its figure.
export function rowUnder(table) {
  const cells = [...table.querySelectorAll("th")].map((head) => {
    const cell = el("td", head.className);
    cell.dataset.head = head.textContent;
    return cell;
  });
  cells.at(-1).className = "acts-cell";
  return el("tr", "", ...cells);
}

// -- running ------------------------------------------------------------------------------------------------------

function makeRow() {
  const row = rowUnder(find(".table"));
  row.cells[5].className = "num left";
  return row;
}

function fillRow(row, claim) {
  const [award, position, guest, state, , , acts] = row.cells;
  setText(award, claim.of ? say("award_of", { award: claim.award, title: claim.of }) : String(claim.award));
  setText(position, claim.position);
  setText(guest, claim.guest);
  const said = `${claim.state} ${claim.state_sentence}`;
  if (state.dataset.says !== said) {
    state.dataset.says = said;
    const shape = claim.review ? "late" : markOf(claim);
    state.replaceChildren(el("span", `chip ${claim.review ? "review" : claim.state}`, mark(shape), claim.state_sentence));
  }
  fillActs(acts, claim);
}

// The buttons of a row: kept, so that a message does not take the focus from under a finger.
export function fillActs(cell, claim) {
  const shown = may.may_act ? Object.keys(ACTS).filter((act) => claim.acts.includes(act)) : [];
  keyed(cell, shown, (act) => act, makeAct, (button, act) => {
    button.setAttribute("aria-label", say(`${act}_of`, claim));
    button.onclick = () => ACTS[act](claim);
  });
}

function makeAct(act) {
  const button = el("button", "btn bare", say(act));
  button.type = "button";
  return button;
}

function exchangeEnvelope(claim) {
  askTwoPeople({
    title: say("exchange_title", claim),
    what: say("exchange_what"),
    verb: say("exchange_do"),
    path: "/claims/exchange",
    more: () => ({ draw: claim.draw, ordinal: claim.ordinal }),
  });
}

function voidClaim(claim) {
  const running = claim.outcome === undefined;
  const options = [
    { value: "no", text: say("no_reselect"), then: say("no_reselect_then") },
    { value: "yes", text: say("do_reselect"), then: say("do_reselect_then") },
  ];
  const open = running || claim.acts.includes("reselect");
  askTwoPeople({
    title: say("void_title", claim),
    what: say("void_what"),
    verb: say("void_do"),
    stops: true,
    path: "/claims/void",
    choice: open ? { legend: say("reselect"), options, value: "no" } : null,
    more: (chosen) => ({ draw: claim.draw, ordinal: claim.ordinal, reselect: chosen === "yes" }),
  });
}

// What the page counts by itself: the seconds that are left, and how long a claim has stood where it stands.
export function tickClaims(claims, now) {
  claims.forEach((claim, n) => {
    const row = find("tbody").rows[n];
    if (!row) return;
    const [, , , , crew, cell] = row.cells;
    const who = claim.crew || say("nobody");
    const stood = claim.since === null ? null : Math.max(0, Math.floor((now - claim.since) / 1000));
    setText(crew, stood === null ? who : say("since", { who, n: stood }));
    const left = claim.deadline_at === null ? null : secondsLeft(claim.deadline_at, now);
    setText(cell, left === null ? "\u2013" : left === 0 ? say("over") : say("left", { n: left }));
    cell.classList.toggle("no-clock", left === null);
    cell.classList.toggle("late", left !== null && left <= 15);
  });
}

// -- two people decide ----------------------------------------------------------------------------------------------

function makeReview() {
  const words = el("div", "", el("p", "sentence"), el("p", "todo"));
  const act = el("button", "btn", say("decide"));
  act.type = "button";
  return el("li", "reason", el("span", "sign", mark("late")), words, act);
}

function fillReview(card, claim) {
  setText(card.querySelector(".sentence"), `${claim.guest}, ${say("award").toLowerCase()} ${claim.award}`);
  setText(card.querySelector(".todo"), claim.review);
  const button = card.querySelector(".btn");
  button.hidden = !may.may_act;
  button.onclick = () => decide(claim);
}

function decide(claim) {
  const options = ["again", "present", "absent"].map((value) => ({ value, text: say(value), then: say(`${value}_then`) }));
  askTwoPeople({
    title: say("decide_title", claim),
    what: say("decide_what", { why: claim.review }),
    verb: say("decide_do"),
    path: "/claims/review",
    choice: { legend: say("decision"), options, value: "again" },
    more: (decision) => ({ draw: claim.draw, ordinal: claim.ordinal, decision }),
  });
}
