// The page's frame: which view is shown, what has just been done, the clock, a lost connection.
import { mark } from "../../web_display/static/marks.js";
import { clockText } from "../../web_display/static/server_clock.js";
import { el, say, setText } from "../../web_display/static/words.js";

const VIEWS = ["register", "held", "envelopes", "slips"];
const STAYS_MS = 12_000;
const find = (name) => document.querySelector(name);
let shown = "register";
let timer = 0;

export function showView({ focus = false } = {}) {
  const named = location.hash.slice(1);
  if (VIEWS.includes(named)) shown = named;
  for (const view of document.querySelectorAll(".view")) view.hidden = view.dataset.view !== shown;
  for (const link of document.querySelectorAll(".bar nav a")) {
    if (link.hash === `#${shown}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const title = find(`[data-view="${shown}"] h1`);
  document.title = `${say("desk")}: ${title.textContent}`;
  if (focus && VIEWS.includes(named)) title.focus();
}

// It is said once, and stands for a while.
export function tellDone(sentence) {
  const line = find(".done");
  line.hidden = false;
  line.replaceChildren(mark("won"), el("span", "", sentence));
  clearTimeout(timer);
  timer = setTimeout(() => {
    line.hidden = true;
    line.replaceChildren();
  }, STAYS_MS);
}

export function fillCount(name, n) {
  const count = find(`[data-count="${name}"]`);
  setText(count, n ? String(n) : "");
}

export function fillClock(now, offset) {
  setText(find(".bar .now"), clockText(now, offset, true));
}

export function lost(is, time) {
  const line = find(".offline");
  line.hidden = !is;
  if (is) line.replaceChildren(mark("send"), say("reconnecting", { time }));
}

addEventListener("hashchange", () => showView({ focus: true }));
