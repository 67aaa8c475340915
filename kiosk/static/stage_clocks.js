// A row a clock: the ring from the server's deadline, one Presented each. Late: a dashed ring, the seconds, no button.
import { mark } from "../../web_display/static/marks.js";
import { fillName } from "../../web_display/static/name.js";
import { makeRing } from "../../web_display/static/ring.js";
import { el, keyed, say, setText } from "../../web_display/static/words.js";
import { setClock } from "./press_ring.js";
import { timeOf } from "./press_words.js";

const LATE_SHOWN_MS = 60_000;
const find = (name) => document.querySelector(name);

export class Clocks {
  #stage;
  #rows = [];
  #late = [];
  #came = new Map(); // by key: how many ms a press came too late

  constructor(stage) {
    this.#stage = stage;
  }

  cameLate(key, ms) {
    this.#came.set(key, ms);
  }

  show(clocks, late) {
    this.#rows = clocks;
    this.#late = late;
    this.#fill();
  }

  #fill() {
    const now = this.#stage.link.now();
    const over = this.#late.filter((one) => now - one.ended_at < LATE_SHOWN_MS && !this.#rows.some((row) => row.key === one.key));
    const rows = [...this.#rows, ...over.map((one) => ({ ...one, window_ms: 90_000, over: true }))];
    keyed(find(".clocks"), rows, (row) => row.key, () => this.#make(), (node, row) => this.#fillRow(node, row));
  }

  #make() {
    const button = el("button", "btn presented", say("present"));
    button.type = "button";
    const words = el("div", "words", el("p", "nm"), el("p", "twin"), el("p", "quiet tier"), button, el("p", "came"), el("p", "quiet late-words"), el("p", "pending"));
    const node = el("article", "", makeRing(), words);
    button.addEventListener("click", () => {
      const clock = this.#rows.find((row) => row.key === node.dataset.key);
      if (clock) this.#stage.press("present", clock, clock.name);
    });
    return node;
  }

  #fillRow(node, row) {
    fillName(node.querySelector(".nm"), row.name, row.twin);
    const twin = node.querySelector("p.twin"); // the digits of the name are marked as a twin's, too
    twin.hidden = !row.twin;
    if (row.twin && !twin.childNodes.length) twin.append(mark("late"), say("clock_twin"));
    node.dataset.over = String(Boolean(row.over));
    this.#tickRow(node, row, this.#stage.link.now());
  }

  #tickRow(node, row, now) {
    const { link } = this.#stage;
    const press = this.#stage.pending(row.key);
    const left = setClock(node.querySelector(".ring"), row, now);
    const late = left === 0;
    node.classList.toggle("late", late);
    const until = { time: timeOf(link, row.deadline_at), tier: row.tier };
    setText(node.querySelector(".tier"), late ? "" : say(row.tier ? "tier_until" : "until", until));
    const button = node.querySelector(".presented");
    button.hidden = late;
    button.disabled = Boolean(press);
    setText(node.querySelector(".came"), late ? this.#cameWords(row, link) : "");
    const words = row.held ? "late_held" : row.over ? "late_expired" : "late_deciding";
    setText(node.querySelector(".late-words"), late ? say(words) : "");
    const line = node.querySelector(".pending");
    line.hidden = !press?.late;
    const said = press?.late ? say("press_waits", { press: press.label, time: timeOf(link, press.pressedAt) }) : "";
    if (line.dataset.says !== said) line.replaceChildren(...(said ? [mark("send"), said, " ", say("server_counts")] : []));
    line.dataset.says = said;
  }

  #cameWords(row, link) {
    const time = timeOf(link, row.deadline_at);
    const ms = this.#came.get(row.key);
    return ms === undefined ? say("time_was_up", { time }) : say("came_at", { at: timeOf(link, row.deadline_at + ms), time });
  }

  tick() {
    const now = this.#stage.link.now();
    const gone = this.#late.some((one) => find(`.clocks [data-key="${CSS.escape(one.key)}"]`) && now - one.ended_at >= LATE_SHOWN_MS);
    if (gone) this.#fill();
    for (const node of find(".clocks").children) {
      const row = this.#rows.find((one) => one.key === node.dataset.key);
      const over = this.#late.find((one) => one.key === node.dataset.key);
      if (row) this.#tickRow(node, row, now);
      else if (over) this.#tickRow(node, { ...over, window_ms: 90_000, over: true }, now);
    }
  }
}
