// One rule book: what it says beside the locked one, when it runs, how to rehearse it, what is missing to its lock.
import { mark } from "../../web_display/static/marks.js";
import { el, say, setText } from "../../web_display/static/words.js";
import { fillFigures } from "./setup_figures.js";

const find = (id) => document.getElementById(id);
const only = find("only-changed");
const SIGNS = { new: "won", gone: "gone", changed: "late" };
const OPEN = new Set(["loaded", "rehearsed"]);

export function fillBook(book, { row, floors, run, mayAct }) {
  find("book").hidden = false;
  setText(find("book-title"), say("book", book));
  setText(find("book-since"), `${row.state_text}. ${row.since_text}`);
  setText(find("book-digest"), say("digest", { digest: book.sha256 }));
  find("toml").href = `/console/setup/${book.sha256}/rules.toml`;
  find("given").hidden = !(mayAct && book.state === "given");
  find("retire-step").hidden = !(mayAct && ["in_force", "loaded", "rehearsed"].includes(book.state));
  fillLock(book);
  fillWords(book.words, book.is_locked);
  fillCalendar(book.calendar);
  fillRehearse(book, floors, mayAct);
  fillRun(book, run);
  fillFigures(book.figures, book);
}

function fillLock({ state, missing }) {
  find("lock-step").hidden = !OPEN.has(state);
  setText(find("lock-need"), missing || say("ready"));
  if (missing) find("lock").setAttribute("aria-disabled", "true");
  else find("lock").removeAttribute("aria-disabled");
  find("lock").setAttribute("aria-describedby", "lock-need");
}

// -- what it says ---------------------------------------------------------------------------------------------------

function fillWords({ against, differ, lines }, isLocked) {
  const says = !against ? "words_first" : differ ? "words_against" : "words_same";
  setText(find("words-says"), isLocked && !against ? "" : say(says, { version: against, n: differ }));
  find("only").hidden = !differ;
  if (!differ) only.checked = false;
  find("meanings").replaceChildren(...lines.map(meaning));
  narrow();
}

function meaning({ text, head, mark: kind, was }) {
  const sign = kind ? el("span", "sign", mark(SIGNS[kind]), el("span", "unseen", say(kind))) : el("span", "sign");
  const said = kind === "gone" ? el("del", "", text) : el("span", "", text);
  const line = el("li", [head ? "head-line" : "", kind].filter(Boolean).join(" "), sign, el("div", "", said));
  if (was) line.lastElementChild.append(el("p", "was", say("was", { text: was })));
  return line;
}

// Headings stay: a line alone does not say of which session it speaks.
function narrow() {
  for (const line of find("meanings").children) {
    const marked = ["new", "gone", "changed"].some((kind) => line.classList.contains(kind));
    line.hidden = only.checked && !marked && !line.classList.contains("head-line");
  }
}

// -- when -----------------------------------------------------------------------------------------------------------

function fillCalendar({ sessions, months, register, count }) {
  find("sessions").replaceChildren(...sessions.map(session));
  setText(find("register"), register.length ? say("register", { windows: register.join(", ") }) : "");
  setText(find("days-count"), say("days", { n: count }));
  find("months").replaceChildren(...months.flatMap(({ name, days }) => [el("dt", "", name), el("dd", "", ...days.map(day))]));
}

function session(row) {
  const line = el("tr", "", cell(row.title, "session"));
  for (const name of ["opens", "from", "to", "awards"]) line.append(cell(String(row[name]), name));
  return line;
}

function cell(text, name) {
  const made = el("td", name === "session" ? "" : "num", text);
  made.dataset.head = say(name);
  return made;
}

function day({ text, past, next }) {
  const shown = el("span", ["day", past ? "past" : "", next ? "next" : ""].filter(Boolean).join(" "), text);
  if (next) shown.append(" ", el("small", "", say("next")));
  return shown;
}

// -- rehearsing -----------------------------------------------------------------------------------------------------

function fillRehearse(book, floors, mayAct) {
  find("rehearse-step").hidden = !(mayAct && !["given", "retired"].includes(book.state));
  const days = book.calendar.months.flatMap(({ name, days: some }) =>
    some.map(({ day: id, text }) => ({ id, text: `${text} ${name}` })),
  );
  const coming = book.calendar.months.flatMap(({ days: some }) => some).find(({ next }) => next);
  options(find("day"), days, coming?.day);
  options(find("floor"), floors);
}

function options(select, items, first = "") {
  const said = JSON.stringify(items);
  if (select.dataset.said === said) return; // what was chosen stays chosen
  select.dataset.said = said;
  const chosen = select.value;
  select.replaceChildren(
    ...items.map(({ id, text }) => {
      const option = el("option", "", text);
      option.value = id;
      return option;
    }),
  );
  const wanted = [chosen, first].find((id) => items.some((item) => item.id === id));
  if (wanted) select.value = wanted;
}

export function fillRun(book, run) {
  const line = find("run");
  const ours = run && run.book === book.sha256 && run.step !== "done" ? run : null;
  line.hidden = !ours;
  find("rehearse").querySelector(".btn").toggleAttribute("aria-disabled", Boolean(run?.runs));
  if (!ours) return;
  line.classList.toggle("bad", !ours.runs);
  const said = ours.runs ? ours.text : `${ours.text}. ${ours.sentence}`;
  if (line.dataset.said === said) return;
  line.dataset.said = said;
  line.replaceChildren(mark(ours.runs ? "wait" : "late"), el("span", "", said), ours.code ? el("small", "", ours.code) : "");
}

only.addEventListener("change", narrow);
