// What came of a rehearsal: each session's facts, its crews' load minute by minute, and who won.
import { mark } from "../../web_display/static/marks.js";
import { el, say, setText } from "../../web_display/static/words.js";

const SVG = "http://www.w3.org/2000/svg";
const find = (id) => document.getElementById(id);
const HEIGHT = 96;
const LEFT = 0;

export function fillFigures(figures, { sha256, records }) {
  find("figures").hidden = !figures;
  if (!figures) return;
  find("records").hidden = !records;
  find("records").href = `/console/setup/${sha256}/rehearsal.zip`;
  setText(find("figures-says"), figures.says);
  find("figures-draws").replaceChildren(...figures.draws.map(drawOf));
  find("winners").replaceChildren(...figures.winners.filter(({ rows }) => rows.length).map(winnersOf));
  find("figures-notes").replaceChildren(...figures.notes.map((note) => el("li", "", note)));
}

function drawOf(draw) {
  const facts = el("dl", "facts", ...draw.facts.map(factOf));
  const parts = [el("h4", "", draw.title), facts];
  if (draw.load.length) parts.push(loadOf(draw));
  return el("div", "draw", ...parts);
}

function factOf({ label, text, bad }) {
  const value = el("dd", bad ? "bad" : "", bad ? mark("late") : null, el("span", "", text));
  return el("div", "", el("dt", "", label), value);
}

function winnersOf({ title, rows }) {
  const most = Math.max(...rows.map(([, n]) => n));
  const lines = rows.map(([name, n]) => {
    const bar = el("span", "bar-of");
    bar.style.setProperty("--share", String(n / most));
    return el("tr", "", scoped(name), el("td", "bar-cell", bar), el("td", "num", String(n)));
  });
  return el("table", "table share", el("caption", "", title), el("tbody", "", ...lines));
}

function scoped(name) {
  const head = el("th", "", name);
  head.scope = "row";
  return head;
}

function loadOf({ title, load, crews, from_text: from, minutes }) {
  const most = Math.max(...load, crews, 1);
  const chart = svg("svg", { viewBox: `0 0 ${LEFT + load.length * 10} ${HEIGHT + 20}`, preserveAspectRatio: "none" });
  chart.setAttribute("role", "img");
  const y = (n) => HEIGHT - (n * (HEIGHT - 8)) / most;
  load.forEach((n, at) => {
    const over = n > crews ? " over" : "";
    const bar = svg("rect", { class: `load${over}`, x: LEFT + at * 10 + 1, y: y(n), width: 8, height: HEIGHT - y(n) });
    const tip = svg("title");
    tip.textContent = say("minute", { time: minutes[at], n });
    bar.append(tip);
    chart.append(bar);
  });
  chart.append(svg("line", { class: "crews", x1: LEFT, x2: LEFT + load.length * 10, y1: y(crews), y2: y(crews) }));
  const heading = say("load_of", { title });
  chart.setAttribute("aria-label", `${heading}. ${load.map((n, at) => say("minute", { time: minutes[at], n })).join("; ")}`);
  const scale = el("p", "minutes", el("span", "", minutes[0]), el("span", "", minutes.at(-1)));
  const plot = el("div", "plot-of", el("p", "y-scale", el("span", "", String(most)), el("span", "", "0")), chart);
  const figure = el("figure", "load-of", el("figcaption", "", heading), plot, scale);
  figure.append(el("p", "quiet", say("load_says", { from, n: crews })));
  return figure;
}

function svg(tag, attributes = {}) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}
