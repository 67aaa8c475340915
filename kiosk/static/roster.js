// Who works which duty when. A day is read when the page is opened, when it is chosen, after each act, and on coming back.
import { mark } from "../../web_display/static/marks.js";
import { el, keyed, say, setText } from "../../web_display/static/words.js";
import { openForm } from "./dialog_forms.js";
import { send } from "./page_send.js";
import { wireForms } from "./roster_forms.js";

const place = document.querySelector(".roster-page");
const may = place.dataset.may === "yes";
const find = (name) => place.querySelector(name);
const DONE_STAYS_MS = 12_000;
const READ_EVERY_MS = 20_000;
const MARKS = { here: "won", missing: "pause", gone: "late" };
let shown = null;
let timer = 0;

async function load(day = shown?.day ?? "") {
  try {
    const answer = await fetch(`/console/roster.json${day && `?day=${day}`}`, { cache: "no-store", signal: AbortSignal.timeout(12_000) });
    if (answer.status === 401) dispatchEvent(new Event("signed-out"));
    if (!answer.ok) return;
    shown = await answer.json();
    fill();
  } catch {
    refuse(say("not_sent"));
  }
}

function fill() {
  fillDays();
  setText(find("#day-title"), shown.day_text);
  find(".past").hidden = shown.may_plan;
  const sessions = shown.sessions.length ? shown.sessions : [say("no_sessions")];
  keyed(find(".sessions"), sessions, String, () => el("li"), (node, text) => setText(node, text));
  find(".none").hidden = shown.lines.length > 0;
  find(".shifts").hidden = !shown.lines.length;
  keyed(find(".shifts tbody"), shown.lines, ({ id }) => id, row, fillLine);
  if (!may) return;
  const copy = find("[data-copy]");
  copy.hidden = !shown.may_plan || !shown.copy_from || shown.lines.length > 0;
  setText(copy, say("copy", { day: shown.copy_from ?? "" }));
  find('[data-open="enter"]').hidden = !shown.may_plan;
}

function fillDays() {
  const select = find("#day");
  const days = shown.days.some(({ day }) => day === shown.day) ? shown.days : [{ day: shown.day, text: shown.day_text }, ...shown.days];
  const made = JSON.stringify(days);
  if (select.dataset.made !== made) {
    select.dataset.made = made;
    select.replaceChildren(...days.map(({ day, text }) => new Option(text, day)));
  }
  select.value = shown.day;
}

function row() {
  const cells = [...find(".shifts").querySelectorAll("th")].map((head) => {
    const cell = el("td");
    cell.dataset.head = head.textContent;
    return cell;
  });
  if (may) cells.at(-1).className = "acts-cell";
  return el("tr", "", ...cells);
}

function fillLine(node, line) {
  const [duty, name, zone, from, until, now, acts] = node.cells;
  setText(duty, say(`duty_${line.duty}`));
  setText(name, line.name);
  setText(zone, line.duty === "crew" ? (line.zone ?? say("whole_floor")) : "\u2013");
  setText(from, line.from);
  setText(until, line.until);
  if (now.dataset.state !== line.state) {
    now.dataset.state = line.state;
    now.replaceChildren(el("span", "", ...(MARKS[line.state] ? [mark(MARKS[line.state]), " "] : []), say(line.state)));
  }
  if (!may) return;
  const offered = shown.may_plan && line.state !== "over" ? ["change", "remove"] : [];
  keyed(acts, offered, (act) => act, makeAct, (button, act) => {
    button.setAttribute("aria-label", say(`${act}_of`, line));
    button.onclick = () => openForm(act, line);
  });
}

function makeAct(act) {
  const button = el("button", "btn bare", say(act));
  button.type = "button";
  return button;
}

async function copy() {
  refuse("");
  const from = shown.copy_from;
  try {
    const { said } = await send("/console/roster/copy", { day: shown.day });
    if (!said.ok) return refuse(said.sentence);
    const told = say("copied", { n: said.lines, day: from });
    const names = said.left_out.map((id) => shown.people.find((one) => one.id === id)?.name ?? id).join(", ");
    return done(names ? say("copied_without", { said: told, names }) : told);
  } catch {
    return refuse(say("not_sent"));
  }
}

function done(sentence) {
  const line = find(".done");
  line.hidden = !sentence;
  line.replaceChildren(...(sentence ? [mark("won"), el("span", "", sentence)] : []));
  clearTimeout(timer);
  timer = setTimeout(() => (line.hidden = true), DONE_STAYS_MS);
  load();
}

function refuse(sentence) {
  const line = find(".refused");
  line.hidden = !sentence;
  setText(line, sentence);
}

find("#day").addEventListener("change", (event) => load(event.target.value));
if (may) {
  wireForms({ done, shown: () => shown });
  find("[data-copy]").addEventListener("click", copy);
  find('[data-open="enter"]').addEventListener("click", () => openForm("enter", {}));
}
const seen = () => document.visibilityState === "visible" && load();
document.addEventListener("visibilitychange", seen);
setInterval(seen, READ_EVERY_MS);
load();
