// The verdict on a draw: asked for with one press, shown as the verifier says it, its notices never hidden.
import { mark } from "../../web_display/static/marks.js";
import { el, say, setText } from "../../web_display/static/words.js";
import { ask, refuse } from "./draw_log_send.js";

export function startVerdict(section) {
  const button = section.querySelector("[data-verify]");
  let busy = false;
  button.addEventListener("click", async () => {
    if (busy) return;
    busy = true;
    button.setAttribute("aria-disabled", "true");
    setText(button, say("verifying"));
    const journal = section.querySelector('[name="journal"]')?.checked ?? false;
    const { said, sentence, code } = await ask("/console/draws/verify", { draw: section.dataset.draw, journal });
    refuse(section.querySelector(".refused"), sentence ?? "", code);
    if (said) show(section, said);
    setText(button, say("verify"));
    button.removeAttribute("aria-disabled");
    busy = false;
  });
}

function show(section, said) {
  const find = (name) => section.querySelector(name);
  const head = find("h2");
  head.className = said.ok ? "holds" : "fails";
  head.replaceChildren(mark(said.ok ? "won" : "gone"), el("span", "", said.verdict));
  setText(find(".about"), said.took);
  find(".checks").replaceChildren(...said.checks.map(check));
  find(".notices").replaceChildren(...said.notices.map((notice) => el("li", "", mark("late"), el("p", "", notice))));
  find(".rest").hidden = !said.rest;
  setText(find(".rest"), said.rest);
  setText(find(".key"), said.key);
  head.focus();
}

function check({ name, ok, sentence }) {
  const state = el("span", "unseen", `${say(ok ? "holds" : "fails")}: `);
  const line = el("p", "", state, el("b", "", name), " ", sentence);
  return el("li", ok ? "ok" : "bad", mark(ok ? "won" : "gone"), line);
}
