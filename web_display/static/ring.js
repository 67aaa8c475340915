// A claim's clock: a tick for each second, going out one by one from the top.
import { el, say, setText } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
const LAST = 15;
const TICK = 0.74;

export function makeRing() {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 200 200");
  svg.setAttribute("aria-hidden", "true");
  svg.append(circle("disc", 74), circle("track", 88), circle("left", 88), circle("zone", 99));
  const ring = el("div", "ring", svg, el("b"), el("small"));
  ring.setAttribute("role", "timer");
  return ring;
}

function circle(name, radius) {
  const made = document.createElementNS(SVG, "circle");
  made.setAttribute("class", name);
  made.setAttribute("cx", 100);
  made.setAttribute("cy", 100);
  made.setAttribute("r", radius);
  return made;
}

// `left` of `total` whole seconds; `over` says that the time is up.
export function setRing(ring, left, total, over) {
  const state = `${left}/${total}/${over}`;
  if (ring.dataset.state === state) return;
  ring.dataset.state = state;
  ring.classList.toggle("last", left <= LAST && !over);
  ring.classList.toggle("over", over);
  const [, track, rest, zone] = ring.querySelectorAll("circle");
  for (const part of [track, rest, zone]) part.setAttribute("pathLength", total);
  track.setAttribute("stroke-dasharray", over ? "1.5 1.5" : `${TICK} ${1 - TICK}`);
  rest.setAttribute("stroke-dasharray", ticks(total - left, left));
  zone.setAttribute("stroke-dasharray", `0 ${Math.max(0, total - LAST)} ${Math.min(LAST, total)} 0`);
  setText(ring.querySelector("b"), over ? say("time_up") : String(left));
  setText(ring.querySelector("small"), left === 1 ? say("seconds_one") : say("seconds"));
  ring.setAttribute("aria-label", over ? say("time_up") : say("seconds_left", { n: left }));
}

function ticks(out, left) {
  if (left <= 0) return `0 ${out + 1}`;
  return `0 ${out} ${Array(left).fill(`${TICK} ${1 - TICK}`).join(" ")}`;
}
