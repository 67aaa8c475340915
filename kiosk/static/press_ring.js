// A clock's ring in a row of a tablet: at 76 px ninety ticks would be a grey haze, so there a tick stands for three seconds.
import { setRing } from "../../web_display/static/ring.js";
import { secondsLeft } from "../../web_display/static/server_clock.js";
import { say, setText } from "../../web_display/static/words.js";

const GROUP = 3;
const TICK = 0.78;

// Sets the ring from the server's deadline. When it has passed it says for how long; gives the seconds left.
export function setClock(ring, { deadline_at: deadline, window_ms: windowMs }, now, small = false) {
  const total = Math.round(windowMs / 1000);
  const left = Math.min(total, secondsLeft(deadline, now));
  const late = left === 0 ? Math.floor((now - deadline) / 1000) : 0;
  setRing(ring, left, total, left === 0);
  if (small && ring.dataset.drawn !== ring.dataset.state) {
    ring.dataset.drawn = ring.dataset.state;
    const [, track, rest] = ring.querySelectorAll("circle");
    track.setAttribute("stroke-dasharray", left ? `${TICK * GROUP} ${(1 - TICK) * GROUP}` : "3 3");
    rest.setAttribute("stroke-dasharray", groups(total - left, total));
  }
  if (left === 0) {
    setText(ring.querySelector("b"), say("late", { n: late }));
    ring.setAttribute("aria-label", say("late", { n: late }));
  }
  return left;
}

function groups(out, total) {
  const parts = [];
  let at = 0;
  for (let from = 0; from < total; from += GROUP) {
    const [begin, end] = [Math.max(from, out), Math.min(total, from + GROUP * TICK)];
    if (begin >= end) continue;
    parts.push(begin - at, end - begin);
    at = end;
  }
  if (!parts.length) return `0 ${total + 1}`;
  // The pattern begins with a dash: one of no length, then the gap before the first tick.
  return `0 ${parts.join(" ")} ${total - at}`;
}
