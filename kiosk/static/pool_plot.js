// Pool size over time as steps: a pool holds from its selection until the next one is drawn.
import { say } from "../../web_display/static/words.js";

const SVG = "http://www.w3.org/2000/svg";
const HEIGHT = 132;
const PAD = { top: 12, right: 58, bottom: 22, left: 2 };

export function plotPool(figure, pool) {
  const width = Math.max(240, figure.clientWidth);
  figure.hidden = pool.length < 2;
  if (pool.length < 2) return;
  const sizes = pool.map((each) => each.size);
  const [low, high] = [0, roundUp(Math.max(...sizes))];
  const x = scale(pool[0].at, pool.at(-1).at, PAD.left, width - PAD.right);
  const y = scale(low, high, HEIGHT - PAD.bottom, PAD.top);
  const last = pool.at(-1);
  const svg = make("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, role: "img" });
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  svg.setAttribute("aria-label", say("pool_plot", { n: pool.length, low: least, high: most, last: last.size }));
  for (const at of [low, (low + high) / 2, high]) {
    svg.append(make("path", { class: "grid", d: `M${PAD.left} ${y(at)}H${width - PAD.right}` }));
  }
  svg.append(make("path", { class: "steps", d: steps(pool, x, y) }));
  svg.append(make("circle", { class: "end", cx: x(last.at), cy: y(last.size), r: 4.5 }));
  svg.append(...labels(pool, low, high, x, y, width));
  figure.replaceChildren(svg);
}

// The figures at the edges give way to the last value where they would touch it.
function labels(pool, low, high, x, y, width) {
  const last = pool.at(-1);
  const right = width - PAD.right + 12;
  const free = (at) => Math.abs(y(at) - y(last.size)) > 18;
  return [
    text(last.size, right, y(last.size) + 6, "value"),
    ...[low, high].filter(free).map((at) => text(at, right, y(at) + 4, "edge")),
    text(pool[0].at_text, PAD.left, HEIGHT - 4, "edge"),
    text(last.at_text, x(last.at), HEIGHT - 4, "edge end-text"),
  ];
}

function steps(pool, x, y) {
  return pool.map((each, n) => (n ? `H${x(each.at)}V${y(each.size)}` : `M${x(each.at)} ${y(each.size)}`)).join("");
}

// The next round figure: the axis begins at nothing, so that half as many guests stand half as high.
function roundUp(most) {
  const unit = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  return [1, 2, 2.5, 4, 5, 6, 8, 10].map((times) => times * unit).find((round) => round >= most && Number.isInteger(round));
}

function scale(from, to, first, last) {
  const span = to - from || 1;
  return (value) => Math.round((first + ((value - from) / span) * (last - first)) * 10) / 10;
}

function text(words, x, y, name) {
  const made = make("text", { x, y, class: name });
  made.textContent = String(words);
  return made;
}

function make(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}
