// Digits for a finger, which go into the field that was touched last; and what was typed, shown to whoever asks.
import { say } from "../../web_display/static/words.js";

export function wireKeys() {
  let field = document.querySelector("#number");
  document.addEventListener("focusin", ({ target }) => {
    if (!(target instanceof HTMLInputElement)) return;
    for (const input of document.querySelectorAll("form input")) input.classList.toggle("typed-into", input === target);
    field = target;
  });
  for (const key of document.querySelectorAll("[data-key]")) {
    // The finger does not take the focus along: a keyboard of glass would come and go with each digit.
    key.addEventListener("pointerdown", (event) => event.preventDefault());
    key.addEventListener("click", () => {
      press(field, key.dataset.key);
      field.dispatchEvent(new Event("input", { bubbles: true }));
    });
  }
}

function press(field, key) {
  if (key === "clear") field.value = "";
  else if (key === "back") field.value = field.value.slice(0, -1);
  else if (field.value.length < field.maxLength) field.value += key;
}

export function wireShow() {
  for (const button of document.querySelectorAll("[data-show]")) {
    const field = document.getElementById(button.dataset.show);
    button.addEventListener("click", () => {
      const shows = field.type === "password";
      field.type = shows ? "text" : "password";
      button.setAttribute("aria-pressed", String(shows));
      button.firstChild.data = say(shows ? "hide" : "show");
    });
  }
}
