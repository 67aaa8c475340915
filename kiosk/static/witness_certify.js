// The certificate: three fields, read through in full, given once; then its statement for the printer.
import { el, say, setText } from "../../web_display/static/words.js";
import { compared } from "./witness_promise.js";
import { faultAt, post, refusedIn } from "./witness_send.js";

const view = document.querySelector(".act.certify");
const done = document.querySelector(".act.certified");
const paper = document.querySelector(".paper-copy");
const dialog = document.querySelector("dialog.sworn");
const fields = [...view.querySelectorAll("input, select")];
let draw = null;

export function fillCertify(shown, may, professions) {
  if (shown?.id !== draw?.id) for (const field of fields) faultAt(field, "");
  draw = shown;
  view.hidden = !shown?.certify.may || !may;
  done.hidden = !shown?.certify.done;
  if (!shown) return;
  for (const place of [view, done]) setText(place.querySelector(".asked"), shown.certify.sentence);
  const select = view.querySelector("select");
  if (select.length === 1) select.append(...professions.map(({ id, title }) => new Option(title, id)));
}

const own = () => Object.fromEntries(fields.map((field) => [field.name, field.value]));
const said = () => ({ draw: draw.id, ...own(), slips: compared(draw.id) });

function named(faults = {}) {
  for (const field of fields) faultAt(field, faults[field.name]);
  fields.find((field) => faults[field.name])?.focus();
}

async function readThrough() {
  const answer = await post("statement", said());
  named(answer.faults);
  refusedIn(view, answer.ok || answer.faults ? "" : answer.sentence);
  if (!answer.ok) return;
  dialog.querySelector(".read").replaceChildren(...sentences(answer.statement));
  refusedIn(dialog, "");
  dialog.showModal();
}

async function certify() {
  const button = dialog.querySelector("[data-do]");
  if (button.disabled) return;
  button.disabled = true;
  const answer = await post("certify", said());
  button.disabled = false;
  if (!answer.ok) return refusedIn(dialog, answer.sentence);
  dialog.close();
  view.querySelector("form").reset();
  fillPaper(answer.certificate);
  done.hidden = false;
  done.querySelector(".print").focus();
}

async function print() {
  if (paper.dataset.draw !== draw.id) {
    const answer = await post("certificate", { draw: draw.id });
    refusedIn(done, answer.ok ? "" : answer.sentence);
    if (!answer.ok) return;
    fillPaper(answer.certificate);
  }
  paper.hidden = false;
  globalThis.print();
  paper.hidden = true;
}

const sentences = (lines) => lines.filter(Boolean).map((line) => el("p", "", line));

function fillPaper(certificate) {
  paper.dataset.draw = certificate.draw;
  paper.querySelector(".sentences").replaceChildren(...sentences(certificate.statement));
  const row = (made) => el("tr", "", ...[made.at_text, made.award, `${made.size}: ${made.root}`, made.ticket, made.outcome_text].map((cell) => el("td", "", String(cell))));
  paper.querySelector("tbody").replaceChildren(...draw.selections.map(row));
  paper.querySelector(".sealed").textContent = `${say("sealed")}: ${certificate.sha256}`;
}

view.querySelector("form").addEventListener("submit", (event) => {
  event.preventDefault();
  readThrough();
});
for (const field of fields) field.addEventListener("input", () => faultAt(field, ""));
dialog.querySelector("[data-do]").addEventListener("click", certify);
dialog.querySelector("[data-no]").addEventListener("click", () => dialog.close());
done.querySelector(".print").addEventListener("click", print);
