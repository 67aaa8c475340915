// The plots: what happened as per cent of what chance gives, with the 99 % band; and a distribution as bars.
// Each stands beside the table with the same figures. Shapes differ, not colours alone: a dot and a square for the two
// series within the band, a half-filled square outside, a triangle far outside. Arrow keys go from point to point and say it in words.
import uPlot from "uplot";
import { say } from "../../web_display/static/words.js";

const HEIGHT = 300;
const MOST = 300;
const APART = 0.17;

export function plot(figure, readout) {
  const told = JSON.parse(figure.dataset.plot);
  const make = told.kind === "bars" ? barsOf : againstOf;
  const { data, options, points, high } = make(told);
  const style = getComputedStyle(figure);
  const inks = Object.fromEntries(["text", "text-2", "rule", "surface", "stop", "run-word", "do"].map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
  let focused = null;
  const drawn = new uPlot(
    {
      width: figure.clientWidth,
      height: HEIGHT,
      padding: [14, 14, 0, 0],
      legend: { show: false },
      cursor: { show: false },
      scales: { x: { time: false, range: () => [-0.5, told.groups.length - 0.5] }, y: { range: () => [0, high] } },
      axes: axes(told, inks, style.fontFamily),
      series: [{}, ...data.slice(1).map(() => ({ paths: () => null, points: { show: false } }))],
      hooks: { draw: [(u) => options.draw(u, inks, focused)] },
    },
    data,
    figure,
  );
  new ResizeObserver(() => drawn.setSize({ width: figure.clientWidth, height: HEIGHT })).observe(figure);
  document.fonts?.ready.then(() => drawn.redraw());
  keys(figure, readout, points, (point) => {
    focused = point;
    drawn.redraw();
  });
}

function axes(told, inks, family) {
  const font = `430 13px ${family}`;
  const every = Math.ceil(told.groups.length / 12);
  return [
    {
      stroke: inks["text-2"],
      font,
      size: 34,
      grid: { show: false },
      ticks: { show: false },
      splits: () => told.groups.map((_, n) => n),
      values: (_, splits) => splits.map((n) => (n % every ? "" : short(told.groups[n]))),
    },
    {
      stroke: inks["text-2"],
      font,
      size: 58,
      grid: { stroke: inks.rule, width: 1 },
      ticks: { show: false },
      values: (_, splits) => splits.map((n) => (told.kind === "bars" ? (Number.isInteger(n) ? n : "") : `${n}${say("axis")}`)),
    },
  ];
}

const short = (name) => (name.length > 14 ? name.split(" ")[0] : name);

// -- against chance -----------------------------------------------------------------------------------------------

function againstOf(told) {
  const count = told.series.length;
  const points = told.groups.flatMap((group, at) =>
    told.series
      .map((series, nth) => ({ ...series.points[at], group, at, nth, series: series.title }))
      .filter((point) => point.value !== undefined),
  );
  for (const point of points) {
    point.x = point.at + (point.nth - (count - 1) / 2) * 2 * APART;
    point.words = say("point", {
      group: point.group,
      series: point.series,
      observed: point.observed,
      mean: point.mean,
      low: point.from,
      high: point.to,
      reading: point.reading,
    });
  }
  const highest = Math.max(...points.map((point) => Math.max(point.high, point.value)));
  const high = Math.min(MOST, Math.max(150, Math.ceil((highest * 1.06) / 50) * 50));
  const data = [told.groups.map((_, n) => n), ...told.series.map((series) => series.points.map((point) => point?.value ?? null))];
  return { data, points, high, options: { draw: (u, inks, focused) => drawAgainst(u, points, inks, focused, high) } };
}

function drawAgainst(u, points, inks, focused, high) {
  const ctx = u.ctx;
  const px = devicePixelRatio;
  const y = (value) => u.valToPos(Math.min(value, high), "y", true);
  ctx.save();
  ctx.strokeStyle = inks.text;
  ctx.lineWidth = 2 * px;
  ctx.beginPath();
  ctx.moveTo(u.bbox.left, y(100));
  ctx.lineTo(u.bbox.left + u.bbox.width, y(100));
  ctx.stroke();
  for (const point of points) {
    const x = u.valToPos(point.x, "x", true);
    const wide = 7 * px;
    ctx.fillStyle = inks.rule;
    ctx.fillRect(x - wide, y(point.high), 2 * wide, y(point.low) - y(point.high));
    ctx.fillStyle = inks["text-2"];
    ctx.fillRect(x - wide, y(point.low) - px, 2 * wide, 2 * px);
    if (point.high <= high) ctx.fillRect(x - wide, y(point.high) - px, 2 * wide, 2 * px);
    shape(ctx, x, y(point.value), point, inks, px);
    if (point.value > high) arrow(ctx, x, y(high), inks, px);
    if (point === focused) ring(ctx, x, y(point.value), inks, px);
  }
  ctx.restore();
}

function shape(ctx, x, y, point, inks, px) {
  ctx.lineWidth = 2.5 * px;
  ctx.beginPath();
  if (point.level === "rare") {
    ctx.fillStyle = ctx.strokeStyle = inks.stop;
    path(ctx, [[0, -9], [9, 7], [-9, 7]], x, y, px);
  } else if (point.level === "outside") {
    ctx.fillStyle = inks.surface;
    ctx.strokeStyle = inks["run-word"];
    ctx.rect(x - 7 * px, y - 7 * px, 14 * px, 14 * px);
    ctx.fill();
    ctx.stroke();
    ctx.beginPath();
    ctx.fillStyle = inks["run-word"];
    path(ctx, [[-7, -7], [7, -7], [-7, 7]], x, y, px);
  } else {
    if (point.nth) ctx.rect(x - 5 * px, y - 5 * px, 10 * px, 10 * px);
    else ctx.arc(x, y, 5.5 * px, 0, 2 * Math.PI);
    ctx.fillStyle = point.nth ? inks.surface : inks.text;
    ctx.strokeStyle = inks.text;
  }
  ctx.fill();
  ctx.stroke();
}

function path(ctx, corners, x, y, px) {
  corners.forEach(([dx, dy], n) => (n ? ctx.lineTo(x + dx * px, y + dy * px) : ctx.moveTo(x + dx * px, y + dy * px)));
  ctx.closePath();
}

function arrow(ctx, x, y, inks, px) {
  ctx.strokeStyle = inks.text;
  ctx.lineWidth = 2 * px;
  ctx.beginPath();
  ctx.moveTo(x - 6 * px, y - 6 * px);
  ctx.lineTo(x, y - 12 * px);
  ctx.lineTo(x + 6 * px, y - 6 * px);
  ctx.stroke();
}

function ring(ctx, x, y, inks, px) {
  ctx.beginPath();
  ctx.arc(x, y, 15 * px, 0, 2 * Math.PI);
  ctx.strokeStyle = inks.do;
  ctx.lineWidth = 3 * px;
  ctx.stroke();
}

// -- a distribution -----------------------------------------------------------------------------------------------

function barsOf(told) {
  const points = told.groups.map((group, at) => ({
    group,
    x: at,
    value: told.counts[at],
    apart: at >= told.groups.length - told.apart,
    words: say("bar", { group, observed: told.counts[at] }),
  }));
  const high = Math.max(4, Math.ceil(Math.max(...told.counts) * 1.12));
  const data = [told.groups.map((_, n) => n), told.counts];
  return { data, points, high, options: { draw: (u, inks, focused) => drawBars(u, points, inks, focused) } };
}

function drawBars(u, points, inks, focused) {
  const ctx = u.ctx;
  const px = devicePixelRatio;
  ctx.save();
  for (const point of points) {
    const [from, to] = [u.valToPos(point.x - 0.36, "x", true), u.valToPos(point.x + 0.36, "x", true)];
    const [top, foot] = [u.valToPos(point.value, "y", true), u.valToPos(0, "y", true)];
    ctx.fillStyle = point.apart ? inks.surface : inks.text;
    ctx.strokeStyle = point === focused ? inks.do : inks.text;
    ctx.lineWidth = (point === focused ? 5 : 2) * px;
    ctx.fillRect(from, top, to - from, foot - top);
    if (point.apart || point === focused) ctx.strokeRect(from, top, to - from, foot - top);
  }
  ctx.restore();
}

// -- by keyboard and by pointer -----------------------------------------------------------------------------------

function keys(figure, readout, points, focus) {
  let at = -1;
  figure.tabIndex = 0;
  figure.setAttribute("role", "group");
  figure.setAttribute("aria-label", say("plot", { title: figure.dataset.title }));
  const go = (to) => {
    at = Math.max(0, Math.min(points.length - 1, to));
    readout.textContent = points[at].words;
    focus(points[at]);
  };
  const leave = () => {
    at = -1;
    readout.textContent = "";
    focus(null);
  };
  figure.addEventListener("keydown", (event) => {
    const to = { ArrowRight: at + 1, ArrowLeft: at < 0 ? points.length - 1 : at - 1, Home: 0, End: points.length - 1 }[event.key];
    if (event.key === "Escape") leave();
    if (to === undefined) return;
    event.preventDefault();
    go(to);
  });
  figure.addEventListener("blur", leave);
  figure.addEventListener("pointermove", (event) => {
    const over = figure.querySelector(".u-over").getBoundingClientRect();
    const span = points.length ? Math.max(...points.map((point) => Math.round(point.x))) + 1 : 1;
    const x = ((event.clientX - over.left) / over.width) * span - 0.5;
    go(points.reduce((best, point, n) => (Math.abs(point.x - x) < Math.abs(points[best].x - x) ? n : best), 0));
  });
  figure.addEventListener("pointerleave", leave);
}
