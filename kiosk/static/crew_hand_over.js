// To whom a claim is handed: the crew by name. Gives the staff id, or nothing when it was called off.
import { el, say, setText } from "../../web_display/static/words.js";

const dialog = document.querySelector("dialog.hand-over");
let settle = null;

export function handOver(claim, people) {
  setText(dialog.querySelector("h2"), say("hand_over_title", { position: claim.position }));
  dialog.querySelector(".nobody").hidden = people.length > 0;
  dialog.querySelector(".people").replaceChildren(
    ...people.map((person) => {
      const button = el("button", "btn", el("b", "", person.name), el("span", "quiet", say(`role_${person.role}`)));
      button.type = "button";
      button.addEventListener("click", () => done(person.id));
      return el("li", "", button);
    }),
  );
  dialog.showModal();
  return new Promise((resolve) => {
    settle = resolve;
  });
}

function done(id) {
  dialog.close();
  settle?.(id);
  settle = null;
}

dialog.querySelector(".no").addEventListener("click", () => done(""));
dialog.addEventListener("cancel", (event) => {
  event.preventDefault();
  done("");
});
