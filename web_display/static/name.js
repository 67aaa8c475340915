// A masked name: the dots are quiet, the digits are what tells two guests of one name apart.
import { el } from "./words.js";

const DOTS = "\u00b7\u00b7\u00b7";

export function fillName(node, name, twin = false) {
  const wanted = `${name}${twin}`;
  if (node.dataset.name === wanted) return;
  node.dataset.name = wanted;
  const [called, digits] = name.split(DOTS);
  node.replaceChildren(called);
  if (digits !== undefined) node.append(el("i", "dots", DOTS), el("span", twin ? "digits twin" : "digits", digits));
}
