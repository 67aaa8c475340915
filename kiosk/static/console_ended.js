// The claims of the session that have ended: what came of each, when, who; to be narrowed by outcome and by crew.
import { mark } from "../../web_display/static/marks.js";
import { el, keyed, say, setText } from "../../web_display/static/words.js";
import { fillActs, markOf, rowUnder } from "./console_claims.js";

const section = document.querySelector(".ended");
const find = (name) => section.querySelector(name);
const outcome = find('[name="outcome"]');
const crew = find('[name="crew"]');
let rows = [];

export function fillEnded({ ended, session }) {
  rows = ended;
  section.hidden = !session && !ended.length;
  find(".filters").hidden = !ended.length;
  fillOptions(outcome, say("all_outcomes"), ended.map((row) => [row.outcome, row.outcome_text]));
  fillOptions(crew, say("all_crew"), ended.filter((row) => row.crew).map((row) => [row.crew, row.crew]));
  narrow();
}

function shownRows() {
  return rows.filter(
    (row) => (!outcome.value || row.outcome === outcome.value) && (!crew.value || row.crew === crew.value),
  );
}

function narrow() {
  const shown = shownRows();
  find(".table").hidden = !shown.length;
  find(".none").hidden = shown.length > 0;
  setText(find(".none"), say(rows.length ? "no_match" : "no_ended"));
  keyed(find("tbody"), shown, ({ draw, ordinal }) => `${draw} c${ordinal}`, () => rowUnder(find(".table")), fillRow);
}

// Each value once, in the order of its first; what was chosen stays chosen while it is there.
function fillOptions(select, all, found) {
  const options = [["", all], ...new Map(found)];
  const made = JSON.stringify(options);
  if (select.dataset.made === made) return;
  select.dataset.made = made;
  const chosen = select.value;
  select.replaceChildren(
    ...options.map(([value, text]) => {
      const option = el("option", "", text);
      option.value = value;
      return option;
    }),
  );
  select.value = options.some(([value]) => value === chosen) ? chosen : "";
}

function fillRow(row, claim) {
  const [award, guest, state, selected, announced, presented, ended, who, act] = row.cells;
  setText(award, claim.attempt > 1 ? `${claim.award} (${claim.attempt})` : String(claim.award));
  const said = `${claim.state} ${claim.outcome_text} ${claim.detail}`;
  if (state.dataset.says !== said) {
    state.dataset.says = said;
    const chip = el("span", `chip ${claim.state}`, mark(markOf(claim)), claim.outcome_text);
    state.replaceChildren(el("div", "", chip, claim.detail ? el("small", "quiet", claim.detail) : null));
  }
  if (!guest.firstElementChild) guest.append(el("div", "", el("span"), el("small", "quiet")));
  setText(guest.querySelector("span"), claim.guest);
  setText(guest.querySelector("small"), claim.position);
  setText(selected, claim.selected_text);
  setText(announced, claim.announced_text || "\u2013");
  setText(presented, claim.presented_text || "\u2013");
  setText(ended, claim.ended_text);
  setText(who, claim.crew || "\u2013");
  fillActs(act, claim);
}

// -- as a file -----------------------------------------------------------------------------------------------------

const COLUMNS = [
  "draw", "ordinal", "award", "attempt", "guest", "position", "outcome", "detail", "selected_text", "announced_text",
  "presented_text", "ended_text", "crew",
]; // prettier-ignore

// What is shown, as CSV. A cell that a spreadsheet could take for a formula is marked as text.
function asCsv(shown) {
  const cell = (value) => `"${String(value).replace(/^[=+\-@\t\r]/, "'$&").replaceAll('"', '""')}"`;
  const heads = COLUMNS.map((name) => name.replace("_text", ""));
  return [heads, ...shown.map((row) => COLUMNS.map((name) => row[name]))].map((row) => row.map(cell).join(",")).join("\r\n");
}

find("[data-save]").addEventListener("click", () => {
  const link = el("a");
  link.href = URL.createObjectURL(new Blob([`\ufeff${asCsv(shownRows())}\r\n`], { type: "text/csv" }));
  link.download = `claims-${rows[0].draw.replaceAll("/", "_")}.csv`;
  link.click();
  URL.revokeObjectURL(link.href);
});

for (const select of [outcome, crew]) select.addEventListener("change", narrow);
