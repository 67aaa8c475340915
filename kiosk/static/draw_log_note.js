// A note of dispute: written in a form, added, never changed. What was typed stays until it is kept.
import { say, setText } from "../../web_display/static/words.js";
import { ask, refuse } from "./draw_log_send.js";

export function startNotes(dialog) {
  if (!dialog) return;
  const form = dialog.querySelector("form");
  const text = form.elements.text;
  const fault = form.querySelector(".fault");
  const button = form.querySelector(".do");
  let busy = false;
  const faulty = (sentence) => {
    fault.hidden = !sentence;
    setText(fault, sentence);
    text.setAttribute("aria-invalid", String(Boolean(sentence)));
  };
  document.querySelector("[data-note]").addEventListener("click", () => {
    faulty("");
    refuse(form.querySelector(".refused"), "");
    dialog.showModal();
    text.focus();
  });
  form.querySelector("[data-back]").addEventListener("click", () => dialog.close());
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (busy) return;
    faulty(text.value.trim() ? "" : say("note_empty"));
    if (!text.value.trim()) {
      text.focus();
      return;
    }
    busy = true;
    button.setAttribute("aria-disabled", "true");
    const where = { draw: form.dataset.draw, ordinal: Number(form.dataset.ordinal) };
    const { said, sentence, code } = await ask("/console/draws/note", { ...where, text: text.value });
    busy = false;
    button.removeAttribute("aria-disabled");
    refuse(form.querySelector(".refused"), sentence ?? "", code);
    if (!said) return;
    form.reset();
    dialog.close();
    location.hash = "notes";
    location.reload();
  });
}
