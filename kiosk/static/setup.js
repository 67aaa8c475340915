// Rule books: which are there, one of them in full, and the way of a book into force.
import { mark } from "../../web_display/static/marks.js";
import { el, keyed, say, setText } from "../../web_display/static/words.js";
import { fillBook, fillRun } from "./setup_book.js";
import { onLoaded } from "./setup_load.js";
import { get, HERE, PATIENCE_MS, post } from "./setup_send.js";
import { askTwoPeople } from "./two_people.js";

const find = (id) => document.getElementById(id);
const SIGNS = { given: "plain", loaded: "wait", rehearsed: "wait", in_force: "won", replaced: "gone", retired: "gone" };
const RUNS_MS = 700;
let books = null;
let book = null;
let shown = location.hash.slice(1);
let timer = 0;

function trouble(answer) {
  const line = find("trouble");
  line.hidden = !answer;
  if (answer) line.replaceChildren(answer.sentence ?? say("not_sent"), " ", el("small", "", answer.code ?? ""));
}

async function look() {
  clearTimeout(timer);
  const answer = await get(".json");
  if (answer.ok) {
    trouble(null);
    const before = books;
    books = answer;
    fillList();
    await open(shown, { again: changed(before) });
  } else trouble(answer);
  // Only while a rehearsal runs: a page that asks for ever would keep a sign-in that nobody uses.
  if (books?.run?.runs) timer = setTimeout(look, RUNS_MS);
}

// Whether what is open must be fetched again: its state is another one, or its rehearsal has ended.
function changed(before) {
  const ended = before?.run?.runs && !books.run?.runs;
  const state = (from) => from?.books.find(({ sha256 }) => sha256 === shown)?.state;
  return ended || state(before) !== state(books);
}

function fillList() {
  setText(find("rules-in-force"), books.headline);
  document.querySelector(".load").hidden = !books.may_act;
  find("no-books").hidden = books.books.length > 0;
  if (!books.books.some(({ sha256 }) => sha256 === shown)) shown = firstOf(books.books);
  keyed(find("books"), books.books, ({ sha256 }) => sha256, makeRow, fillRow);
}

// What waits for somebody comes first, then what is in force.
function firstOf(rows) {
  return (rows.find(({ state }) => ["loaded", "rehearsed"].includes(state)) ?? rows[0])?.sha256 ?? "";
}

function makeRow({ sha256 }) {
  const button = el("button", "pick", el("span", "sign"), el("span", "", el("b"), el("span", "state")));
  button.type = "button";
  button.addEventListener("click", () => open(sha256, { again: true, go: true }));
  return el("li", "", button);
}

function fillRow(item, row) {
  const button = item.firstElementChild;
  if (button.dataset.state !== row.state) button.querySelector(".sign").replaceChildren(mark(SIGNS[row.state]));
  button.dataset.state = row.state;
  setText(button.querySelector("b"), `${row.title}, ${row.version}`);
  setText(button.querySelector(".state"), row.state_text);
  if (row.sha256 === shown) button.setAttribute("aria-current", "true");
  else button.removeAttribute("aria-current");
}

async function open(sha256, { again = false, go = false } = {}) {
  const row = books.books.find((each) => each.sha256 === sha256) ?? books.books.find((each) => each.sha256 === shown);
  find("book").hidden = !row;
  if (!row) return;
  if (go || row.sha256 !== shown) history.replaceState(null, "", `#${row.sha256}`);
  shown = row.sha256;
  fillList();
  if (again || book?.sha256 !== shown) {
    const answer = await get(`/${shown}.json`);
    if (!answer.ok) return trouble(answer);
    if (answer.sha256 !== shown) return; // another one was opened meanwhile
    book = answer;
    fillBook(book, { row, floors: books.floors, run: books.run, mayAct: books.may_act });
    if (go) find("book-title").focus();
  } else fillRun(book, books.run);
}

// -- acts -----------------------------------------------------------------------------------------------------------

find("rehearse").addEventListener("submit", async (event) => {
  event.preventDefault();
  if (books.run?.runs) return;
  const { day, floor, crews } = event.target.elements;
  const answer = await post(`/${shown}/rehearse`, { day: day.value, floor: floor.value, crews: crews.valueAsNumber || 0 });
  trouble(answer.ok ? null : answer);
  await look();
});

find("load-given").addEventListener("click", async () => {
  const answer = await post(`/${shown}/load`, {});
  trouble(answer.ok ? null : answer);
  await look();
});

find("lock").addEventListener("click", () => {
  if (find("lock").getAttribute("aria-disabled") === "true") return;
  const said = { title: book.title, version: book.version };
  askTwoPeople({
    title: say("lock_of", said),
    what: book.replaces ? say("lock_replaces", { version: book.replaces }) : say("lock_what"),
    verb: say("lock"),
    path: `${HERE}/${shown}/lock`,
    patience: PATIENCE_MS,
    then: look,
  });
});

find("retire").addEventListener("click", () => {
  askTwoPeople({
    title: say("retire_of", { title: book.title, version: book.version }),
    what: say("retire_what"),
    verb: say("retire_do"),
    path: `${HERE}/${shown}/retire`,
    patience: PATIENCE_MS,
    stops: true,
    then: look,
  });
});

onLoaded((sha256) => {
  shown = sha256;
  return look().then(() => open(sha256, { again: true, go: true }));
});
document.addEventListener("visibilitychange", () => document.hidden || look());
addEventListener("hashchange", () => books && open(location.hash.slice(1), { again: true }));
look();
