// The marks: a shape for each state, always beside its word.
const SVG = "http://www.w3.org/2000/svg";

// On a field of 16. "fill" shapes have no stroke, "line" shapes no fill.
const SHAPES = {
  won: { fill: "M1 1H15V15H1Z" },
  run: { line: "M4.1 4.1A5.6 5.6 0 1 1 4.1 11.9", width: 3.4 },
  wait: { line: "M8 2A6 6 0 1 1 7.99 2Z", width: 2.3 },
  held: { fill: "M1 1H15L1 15Z", line: "M2 2H14V14H2Z", width: 2 },
  late: { fill: "M8 .6L16 15.4H0Z" },
  gone: { line: "M2 2H14V14H2ZM2.6 2.6L13.4 13.4", width: 2.2 },
  pause: { fill: "M1 0H6V16H1ZM10 0H15V16H10Z" },
  send: { fill: "M8 0L16 8H11V16H5V8H0Z" },
  plain: { fill: "M5 5H11V11H5Z" },
};

// A mark's picture; the word stands beside it, so it is hidden from a screen reader.
export function mark(kind) {
  const shape = SHAPES[kind];
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", `mark mark-${kind}`);
  svg.setAttribute("aria-hidden", "true");
  if (shape.fill) svg.append(path(shape.fill, { stroke: "none" }));
  if (shape.line) svg.append(path(shape.line, { fill: "none", "stroke-width": shape.width }));
  return svg;
}

function path(d, attributes) {
  const made = document.createElementNS(SVG, "path");
  made.setAttribute("d", d);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}
