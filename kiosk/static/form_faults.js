// What is wrong with a form: at the field it is about where there is one, above its button otherwise.
import { mark } from "../../web_display/static/marks.js";
import { el } from "../../web_display/static/words.js";

export function fault(form, name, sentence) {
  const field = form.querySelector(`[data-field="${name}"]`);
  if (!field) return false;
  const line = field.querySelector(".fault");
  line.hidden = !sentence;
  line.replaceChildren(...(sentence ? [mark("late"), el("span", "", sentence)] : []));
  const hint = field.querySelector(".hint");
  if (hint) hint.hidden = Boolean(sentence) || !hint.textContent;
  for (const input of field.querySelectorAll("input, select, textarea, .paper")) {
    if (sentence) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  }
  return true;
}

export function clearFaults(form) {
  for (const field of form.querySelectorAll("[data-field]")) fault(form, field.dataset.field, "");
  refused(form, "");
}

// At its field where there is one, above the button otherwise; the code small beside it.
export function showRefusal(form, { code = "", sentence }, faults) {
  const name = faults[code];
  if (name && fault(form, name, sentence)) {
    focusField(form, name);
    return;
  }
  refused(form, sentence, code);
}

export function refused(place, sentence, code = "") {
  const line = place.querySelector(".refused");
  line.hidden = !sentence;
  line.replaceChildren(sentence, " ", el("small", "", code));
}

export function focusField(form, name) {
  const field = form.querySelector(`[data-field="${name}"]`);
  const target = field?.querySelector("input, select, textarea, .paper");
  target?.focus();
  target?.scrollIntoView({ block: "nearest" });
}
