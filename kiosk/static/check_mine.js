// A receipt's code: the guest types their number, the phone works out their reference and checks every proof of it.
import { el, say } from "../../web_display/static/words.js";
import { referenceOf } from "./check_arithmetic.js";
import { ask, pathOf, Refused } from "./check_ask.js";
import { clock, faultOf, figure, hash, marked } from "./check_say.js";
import { drawChecked, rowsOf } from "./check_verdict.js";

const place = document.querySelector(".mine");
const form = place.querySelector("form");
const told = place.querySelector(".told");
const again = place.querySelector(".again");
const found = place.querySelector(".found");
const field = form.elements.member;
const fault = place.querySelector("#member-fault");
let now = null; // {secret, path, answer}: of this page alone, gone with it
let retry = () => {};

// Begin with a receipt's secret and draw.
export async function showMine(secret, draw) {
  now = { secret, path: pathOf(draw), answer: null };
  found.hidden = true;
  form.hidden = true;
  field.value = "";
  place.querySelector(".which").textContent = "";
  await trying(fetchDraw);
}

async function fetchDraw() {
  const mine = now;
  const answer = await ask(`/check/draw/${mine.path}`);
  if (now !== mine) return;
  now.answer = answer;
  place.querySelector(".which").textContent = answer.title;
  form.hidden = false;
  field.focus();
}

async function trying(work) {
  retry = () => trying(work);
  again.hidden = true;
  tell(say("working"));
  try {
    await work();
    tell("");
  } catch (refused) {
    if (!(refused instanceof Refused)) throw refused;
    tell(refused.message);
    again.hidden = !refused.again;
  }
}

function tell(sentence) {
  told.textContent = sentence;
  told.hidden = sentence === "";
}

again.addEventListener("click", () => retry());

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const member = field.value.trim();
  fault.hidden = member !== "";
  fault.textContent = member ? "" : say("member_none");
  field.setAttribute("aria-invalid", String(!member));
  if (!member) return field.focus();
  found.hidden = true;
  return trying(() => check(member));
});

async function check(member) {
  const mine = now;
  const ref = referenceOf(mine.secret, member);
  const given = await ask(`/check/proofs/${ref}/${mine.path}`);
  if (now !== mine) return;
  const drawn = drawChecked(mine.answer);
  const rows = rowsOf(drawn.record, ref, given.pools);
  found.replaceChildren(...(given.known ? verdict(drawn, rows) : unknown()), reference(ref));
  found.hidden = false;
  const title = found.querySelector("h2");
  title.tabIndex = -1;
  title.focus();
}

function unknown() {
  return [el("h2", "", say("sum_unknown")), marked("wait", "tag not", say("not_checked")), el("p", "", say("sum_unknown_what"))];
}

function reference(ref) {
  return el("div", "ref", el("h3", "", say("ref")), el("p", "", hash(ref)), el("p", "quiet", say("ref_what")));
}

// -- the verdict ------------------------------------------------------------------------------------------------------

function verdict(drawn, rows) {
  const broken = rows.filter((row) => row.state === "broken" || row.state === "missing").length;
  const fits = drawn.digests && drawn.opens && drawn.wrong.length === 0;
  const holds = fits && broken === 0;
  const list = el("ol", "rows", ...rows.map((row) => line(row, drawn.record.terms, fits)));
  return [...headline(rows, broken, holds), about(drawn, rows), list];
}

function headline(rows, broken, holds) {
  const inside = rows.filter((row) => row.place?.found).length;
  const won = rows.filter((row) => row.state === "won");
  if (!holds) {
    const says = broken ? say("sum_broken", { n: broken }) : say("sum_wrong");
    return [el("h2", "stop", says), el("p", "", say("sum_broken_do"))];
  }
  const sum = inside ? say("sum_in", { in: inside, n: rows.length }) : say("sum_in_none", { n: rows.length });
  const tickets = won.map((row) => el("p", "lit", say("sum_won", { time: timeOf(row), size: figure(row.pool.size) })));
  const others = won.length ? null : el("p", "", say("sum_won_none"));
  const outside = inside < rows.length ? el("p", "quiet", say("sum_out_what")) : null;
  return [el("h2", "", sum), ...tickets, others, marked("won", "tag", say("checked")), outside].filter(Boolean);
}

const zone = () => now.answer.zone;
const timeOf = (row) => clock(row.made.at, zone());
const SAYS = { won: "row_won", in: "row_in", out: "row_out", broken: "row_broken", missing: "row_missing" };
const CHECKED = { won: "checked", in: "checked", out: "checked_place", broken: "not_checked", missing: "not_checked" };
const MARKS = { won: "won", in: "plain", out: "gone", broken: "late", missing: "wait" };

function line(row, terms, fits) {
  const { made, pool, state } = row;
  const title = say(made.after === null || terms.kind === "electronic" ? "row_title" : "row_again", { award: made.place });
  const head = el("p", "head", el("b", "", timeOf(row)), el("span", "", say("row_pool", { n: pool.size, size: figure(pool.size) })), el("span", "quiet", title));
  const how = el("details", "", el("summary", "", say(fits ? CHECKED[state] : "not_checked")), el("div", "how", ...steps(row)));
  return el("li", `row ${state}`, head, marked(MARKS[state], "says", say(SAYS[state])), how);
}

function steps({ made, pool, state, place: stands, fault: broken }) {
  const root = el("p", "", say("row_root"), " ", hash(pool.root));
  if (state === "missing") return [root];
  if (state === "broken") return [el("p", "stop", faultOf(broken)), root];
  const drawn = { drawn: figure(made.ticket), last: figure(BigInt(pool.total) - 1n) };
  if (stands.found) {
    const { first, last } = stands.found;
    const mine = { mine: figure(first), to: figure(last) };
    return [el("p", "", say(first === last ? "row_ticket" : "row_tickets", { ...drawn, ...mine })), root];
  }
  return [el("p", "", say("row_drawn", drawn)), ...gap(stands), root];
}

function gap({ below, above }) {
  if (below === null) return [el("p", "", say("row_gap_first"), " ", hash(above))];
  if (above === null) return [el("p", "", say("row_gap_last"), " ", hash(below))];
  return [el("p", "", say("row_gap")), el("p", "", hash(below)), el("p", "", hash(above))];
}

// What was checked, and what was not: said plainly, under the verdict.
function about({ digests, opens, wrong, record }, rows) {
  const inside = rows.filter((row) => row.place?.found).length;
  const outside = rows.filter((row) => row.place && !row.place.found).length;
  const { digest, seq } = now.answer;
  const item = (holds, yes, no) => el("li", holds ? "" : "stop", ...(holds ? yes : [no]));
  const items = [
    item(digests, [say("about_record", { seq: figure(seq) }), " ", hash(digest)], say("about_record_not")),
    item(opens, [say("about_seed"), " ", hash(record.terms.commitment)], say("about_seed_not")),
    item(wrong.length === 0, [say("about_tickets", { n: record.selections.length })], say("about_tickets_not", { list: wrong.join(", ") })),
    inside ? el("li", "", say("about_in", { n: inside })) : null,
    outside ? el("li", "", say("about_out", { n: outside })) : null,
    el("li", "quiet", say("about_not")),
  ].filter(Boolean);
  return el("details", "about", el("summary", "", say("about_title")), el("ul", "", ...items));
}
