// A confirmed winner: the dark opens from the middle and the name widens to fill it, once.
import { fitName } from "./fit.js";
import { glued } from "./name.js";
import { el, say, setText } from "./words.js";

const paper = document.querySelector(".won .paper");

export function fillWinner(won) {
  const key = `${won.id} ${won.at}`;
  if (paper.dataset.key === key) {
    setText(paper.querySelector(".sum"), won.amount_text);
    return;
  }
  paper.dataset.key = key;
  const name = el("p", "name", glued(won.name));
  const card = won.last4 ? el("span", "card", `\u00b7\u00b7\u00b7${won.last4}`) : null;
  const facts = el("p", "row", card, el("span", "sum", won.amount_text));
  const article = el("article", "lit winner-now", el("p", "say", say("confirmed")), name, facts);
  paper.replaceChildren(article);
  fitName(name, article); // measured at its full width, before it begins to open
  article.classList.add("opens");
}

export function clearWinner() {
  if (!paper.dataset.key) return;
  delete paper.dataset.key;
  paper.replaceChildren();
}

// After the screen was turned or a letter's font came: the opening is over, its end is measured.
export function fitWinner() {
  const name = paper.querySelector(".name");
  if (!name) return;
  for (const opening of name.getAnimations()) opening.finish();
  fitName(name, name.parentElement);
}
