// A form of the desk: its button says what is missing, a refusal stands at the field it is about, nothing typed is lost.
import { el, say, setText } from "../../web_display/static/words.js";
import { Sending } from "./desk_send.js";
import { clearFaults, fault, focusField, showRefusal } from "./form_faults.js";
import { SECOND_FAULTS, SecondPerson } from "./second_person.js";

export { clearFaults, fault, focusField, refused, showRefusal } from "./form_faults.js";

// `missing()` gives [field, words] of what is still needed; `body()` what is sent to `path`; `faults` a refusal's code to
// its field. `act` instead of a path: something done on this page alone. Where the form asks for a second person, it is sent.
export function wireForm(form, { path, missing, body, act, faults = {}, done }) {
  const button = form.querySelector("[type=submit]");
  const sending = new Sending();
  const second = form.elements.second_secret ? new SecondPerson(form) : null;
  // The part for a second person may be hidden where one person will do.
  const takesTwo = () => second !== null && !form.querySelector(".second").closest(".needs-two[hidden]");
  const missingAll = () => [...missing(), ...(takesTwo() ? second.missing() : [])];
  let busy = false;

  function refresh() {
    const needs = missingAll();
    setText(form.querySelector(".need"), busy ? say("sending") : needs.length ? say("needed", { list: listed(needs) }) : "");
    if (needs.length || busy) button.setAttribute("aria-disabled", "true");
    else button.removeAttribute("aria-disabled");
  }

  form.addEventListener("input", (event) => {
    const field = event.target.closest("[data-field]");
    if (field) fault(form, field.dataset.field, "");
    refresh();
  });
  form.addEventListener("change", refresh);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const needs = missingAll();
    if (busy) return;
    if (needs.length) {
      focusField(form, needs[0][0]);
      return;
    }
    busy = true;
    clearFaults(form);
    refresh();
    const answer = act ? act() : await sending.send(path, { ...body(), ...(takesTwo() ? second.take() : {}) });
    busy = false;
    if (answer.ok) done(answer);
    else showRefusal(form, answer, { ...SECOND_FAULTS, ...faults });
    refresh();
  });
  refresh();
  return { refresh };
}

function listed(needs) {
  return needs.map(([, words]) => words).join(", ");
}

// What is chosen stays chosen when the list comes again.
export function fillOptions(select, options) {
  const made = JSON.stringify(options);
  if (select.dataset.made === made) return;
  select.dataset.made = made;
  const chosen = select.value;
  select.replaceChildren(
    ...[["", say("pick")], ...options].map(([value, text]) => {
      const option = el("option", "", text);
      option.value = value;
      return option;
    }),
  );
  select.value = options.some(([value]) => value === chosen) ? chosen : "";
}

// Cents of "850", "850.50", "1 000" or "R1,000"; null when it is no amount.
export function cents(text) {
  const plain = text.replace(/[\sR\u00a0]|,(?=\d{3}\b)/g, "").replace(",", ".");
  return /^\d{1,7}(\.\d{1,2})?$/.test(plain) ? Math.round(Number(plain) * 100) : null;
}

// "R 1 000" of 100000 cents, as the slips and screens have it.
export function money(amount, currency) {
  const [whole, part] = [Math.floor(amount / 100), amount % 100];
  const symbol = { ZAR: "R\u00a0", USD: "$", EUR: "\u20ac", GBP: "\u00a3" }[currency] ?? `${currency}\u00a0`;
  const figures = String(whole).replace(/\B(?=(\d{3})+$)/g, "\u00a0");
  return `${symbol}${figures}${part ? `.${String(part).padStart(2, "0")}` : ""}`;
}
