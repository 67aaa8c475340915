// The floor screen while nobody is called: what comes next, who has won, the day as squares.
import { fitLine, fitTitle } from "./fit.js";
import { mark } from "./marks.js";
import { fillName } from "./name.js";
import { el, keyed, say, setText } from "./words.js";

const root = document.querySelector(".calm");
const part = (name) => root.querySelector(name);

// Everything of a message that this view shows.
export function fillCalm(snapshot) {
  const { session, next_session: next, suspended, day } = snapshot;
  const running = Boolean(session) && !suspended;
  root.classList.toggle("is-running", running);
  setText(part(".title"), snapshot.promotion_title);
  part(".halt").hidden = !suspended;
  part(".may").hidden = !running;
  part(".next").hidden = suspended || running || !next;
  part(".no-more").hidden = suspended || running || Boolean(next) || !day.length;
  if (suspended) part(".halt .sentence").replaceChildren(mark("pause"), snapshot.suspended_sentence);
  else if (running) fillRunning(session);
  else if (next) fillNext(next);
  fillSoFar(snapshot);
  keyed(part(".day"), day, (row) => row.from_text + row.title, () => el("li", "", el("span", "squares"), el("p")), fillDay);
  setText(part(".law"), snapshot.statutory_line);
}

function fillRunning(session) {
  setText(part(".may .sentence"), session.sentence);
  fillHow(part(".may .how"), session);
}

function fillNext(next) {
  const counted = say("starts_in", { title: next.title, time: next.starts_text });
  setText(part(".next .label"), counted);
  fillHow(part(".next .how"), next);
}

function fillHow(node, { prize_text: prize, who_text: who }) {
  node.replaceChildren(el("span", "", prize), " ", el("span", "nowrap", who));
}

function fillSoFar({ winners_today: n, recent }) {
  part(".tally").hidden = n === 0;
  setText(part(".tally b"), String(n));
  setText(part(".tally span"), say("winners", { n }));
  fillWinners(part(".recent"), recent);
}

export function fillWinners(list, recent) {
  keyed(
    list,
    recent,
    (winner) => `${winner.name} ${winner.amount_text}`,
    () => el("li", "winner", el("span", "name"), el("b", "sum")),
    (node, winner) => {
      fillName(node.firstElementChild, winner.name);
      setText(node.lastElementChild, winner.amount_text);
    },
  );
}

// A square an award, in the order of how settled it is; never in the order of what comes.
function fillDay(node, row) {
  const kinds = ["won", "held", "running", "to_come"].flatMap((kind) => Array(row[kind]).fill(kind));
  const squares = node.firstElementChild;
  if (squares.dataset.kinds !== kinds.join()) {
    squares.dataset.kinds = kinds.join();
    squares.replaceChildren(...kinds.map((kind) => el("i", kind)));
    squares.style.setProperty("--n", String(kinds.length || 1));
    squares.setAttribute("aria-hidden", "true");
  }
  setText(node.lastElementChild, row.caption);
}

// The countdown to the next session, once a second.
export function countDown(snapshot, now) {
  const next = snapshot.next_session;
  if (!next || part(".next").hidden) return;
  const seconds = Math.max(0, Math.ceil((next.starts_at - now) / 1000));
  const count = part(".count");
  if (count.dataset.at === String(seconds)) return;
  count.dataset.at = String(seconds);
  count.replaceChildren(...figures(seconds).flatMap(([n, unit]) => [el("span", "", String(n), el("small", "", unit)), " "]));
}

function figures(seconds) {
  const [d, h] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3600) % 24];
  const [m, s] = [Math.floor(seconds / 60) % 60, seconds % 60];
  const units = [[d, say("days")], [h, say("hours")], [m, say("minutes")], [s, say("seconds_short")]];
  const first = d ? 0 : h ? 1 : m ? 2 : 3;
  return units.slice(first, first + 3);
}

export function fitWinners(list) {
  for (const name of list.querySelectorAll(".name")) fitLine(name);
}

export function fitCalm() {
  fitWinners(part(".recent"));
  fitTitle(part(".title"), root);
}
