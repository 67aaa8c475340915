// A masked name: the dots are quiet, the digits are what tells two guests of one name apart.
import { el } from "./words.js";

const DOTS = "\u00b7\u00b7\u00b7";

// The initial stays with the name before it when a long name takes two lines.
export function glued(called) {
  return called.replace(/ (\S{1,2}\.)(\s*)$/, "\u00a0$1$2");
}

export function fillName(node, name, twin = false) {
  const wanted = `${name}${twin}`;
  if (node.dataset.name === wanted) return;
  node.dataset.name = wanted;
  const [called, digits] = name.split(DOTS);
  node.replaceChildren(glued(called));
  if (digits !== undefined) node.append(el("i", "dots", DOTS), el("span", twin ? "digits twin" : "digits", digits));
}
