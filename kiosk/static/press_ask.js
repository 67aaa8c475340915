// Asks once more, in words, with the way back in focus. Gives true when it was meant.
import { setText } from "../../web_display/static/words.js";

const dialog = document.querySelector("dialog.ask");
let settle = null;

export function askOnce({ title, what, verb }) {
  setText(dialog.querySelector("h2"), title);
  setText(dialog.querySelector(".what"), what);
  setText(dialog.querySelector(".yes"), verb);
  dialog.showModal();
  dialog.querySelector(".no").focus();
  return new Promise((resolve) => {
    settle = resolve;
  });
}

function done(meant) {
  dialog.close();
  settle?.(meant);
  settle = null;
}

dialog.querySelector(".yes").addEventListener("click", () => done(true));
dialog.querySelector(".no").addEventListener("click", () => done(false));
dialog.addEventListener("cancel", (event) => {
  event.preventDefault();
  done(false);
});
