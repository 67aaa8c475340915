// The decline register: whether it is open, the guest's entry, today's entries and their withdrawal.
import { mark } from "../../web_display/static/marks.js";
import { el, keyed, say, setText } from "../../web_display/static/words.js";
import { openAct, wireAct } from "./desk_act.js";
import { clearFaults, fault, wireForm } from "./desk_form.js";
import { tellDone } from "./desk_frame.js";
import { post } from "./desk_send.js";
import { openPapers } from "./desk_papers.js";
import { SignSheet } from "./desk_sign.js";
import { whenWhoChanges, who } from "./desk_who.js";
import { me } from "./signed_words.js";

const view = document.querySelector('[data-view="register"]');
const form = view.querySelector("form");
const found = view.querySelector(".found");
const { card, in_person: inPerson, id_type: idType, id_number: idNumber, phone, email } = form.elements;
const sheet = new SignSheet(form.querySelector(".paper"), () => {
  fault(form, "signature", "");
  wired.refresh();
});
let guest = null;
let snapshot = null;
let asked = "";

const FAULTS = {
  SS_REGISTER_NOT_PARTICIPANT: "card",
  SS_NOT_MEMBER: "card",
  SS_UNDER_AGE: "card",
  SS_REFUSAL_OF_ENTRY: "card",
  SS_SELF_EXCLUDED: "card",
  SS_EXCLUDED_CATEGORY: "card",
  SS_STAFF_OR_RELATED: "card",
  X_ALREADY_DONE: "card",
  SS_REGISTER_IN_PERSON_ONLY: "in_person",
  SS_REGISTER_ID_REQUIRED: "id_number",
  SS_REGISTER_CONTACT_REQUIRED: "phone",
  SS_SIGNATURE_REQUIRED: "signature",
};

export function fillRegister(message) {
  snapshot = message;
  const { register, entries } = message;
  setText(view.querySelector(".keeps"), register.keeps_text);
  const state = view.querySelector(".state");
  if (state.dataset.says !== register.sentence) {
    state.dataset.says = register.sentence;
    state.replaceChildren(mark(register.open ? "won" : "pause"), register.sentence);
    state.classList.toggle("is-open", register.open);
  }
  setText(view.querySelector(".covers"), register.covers_text);
  form.hidden = !register.open;
  view.querySelector(".closed").hidden = register.open || !register.covers.length;
  view.querySelector(".entries").hidden = !entries.length;
  view.querySelector(".list .none").hidden = entries.length > 0;
  keyed(view.querySelector("tbody"), entries, (line) => line.entry, makeEntry, fillEntry);
  fillGuest();
  wired.refresh();
}

// -- the guest ----------------------------------------------------------------------------------------------------

async function findGuest() {
  const number = card.value.trim();
  if (!number || number === asked) return;
  asked = number;
  guest = null;
  fillGuest();
  const answer = await post("/guest", { number });
  if (asked !== number) return;
  if (answer.ok) guest = answer.guest;
  else {
    asked = "";
    fault(form, "card", answer.sentence);
  }
  fillGuest();
  wired.refresh();
}

function fillGuest() {
  found.hidden = !guest;
  const name = guest ? guest.name : "";
  setText(form.querySelector(".paper .sentence"), guest ? say("signs_decline", { guest: name }) : "");
  setText(form.querySelector(".paper .date"), snapshot?.today_text ?? "");
  if (!guest) return;
  setText(found.querySelector(".name"), name);
  setText(found.querySelector(".tier"), say("guest_tier", guest));
  setText(found.querySelector(".since"), guest.signed_text ? say("guest_signed", { time: guest.signed_text }) : say("guest_free"));
}

// A reader types the number and Enter: that finds the guest and sends nothing.
card.addEventListener("keydown", (event) => {
  if (event.key !== "Enter") return;
  event.preventDefault();
  findGuest();
});
card.addEventListener("change", findGuest);
card.addEventListener("input", () => {
  if (card.value.trim() === asked) return;
  asked = "";
  guest = null;
  fillGuest();
});
form.querySelector("[data-find]").addEventListener("click", findGuest);

// -- what is missing ------------------------------------------------------------------------------------------------

function missing() {
  const needs = [];
  if (!who()) needs.push(["card", say("need_who")]);
  if (!card.value.trim()) needs.push(["card", say("need_guest")]);
  else if (!guest) needs.push(["card", say("need_found")]);
  if (!inPerson.checked) needs.push(["in_person", say("need_person")]);
  if (!idType.value) needs.push(["id_type", say("need_id_type")]);
  if (!idNumber.value.trim()) needs.push(["id_number", say("need_id")]);
  needs.push(...contactMissing());
  if (sheet.empty) needs.push(["signature", say("need_sign")]);
  return needs;
}

function contactMissing() {
  if (digitsMissing()) return [["phone", say("need_digits", { n: digitsMissing() })]];
  if (email.value.trim() && !email.checkValidity()) return [["email", say("need_email")]];
  return phone.value.trim() || email.value.trim() ? [] : [["phone", say("need_contact")]];
}

// A number of this country has ten digits; one from abroad begins with + and is taken as it is.
function digitsMissing() {
  const text = phone.value.trim();
  return !text || text.startsWith("+") ? 0 : Math.max(0, 10 - text.replace(/\D/g, "").length);
}

phone.addEventListener("blur", () => {
  const n = digitsMissing();
  if (n) fault(form, "phone", say("fault_digits", { n }));
});

const wired = wireForm(form, {
  path: "/register",
  missing,
  faults: FAULTS,
  body: () => ({
    member: guest.member,
    in_person: inPerson.checked,
    id_type: idType.value,
    id_number: idNumber.value.trim(),
    phone: phone.value.trim(),
    email: email.value.trim(),
    signature: sheet.drawn(),
  }),
  done: ({ entry }) => {
    clear();
    tellDone(say("signed_done", { entry }));
    card.focus();
  },
});
whenWhoChanges(wired.refresh);

function clear() {
  form.reset();
  sheet.clear();
  guest = null;
  asked = "";
  clearFaults(form);
  fillGuest();
  wired.refresh();
}
form.querySelector("[data-clear]").addEventListener("click", () => {
  clear();
  card.focus();
});

// -- today's entries --------------------------------------------------------------------------------------------------

function makeEntry() {
  const heads = [...view.querySelectorAll(".entries th")].map((th) => th.textContent);
  const cells = heads.map((head) => {
    const cell = el("td");
    cell.dataset.head = head;
    return cell;
  });
  const act = el("button", "btn", say("withdraw"));
  act.type = "button";
  cells.at(-1).className = "acts-cell";
  const papers = el("button", "btn bare", say("papers"));
  papers.type = "button";
  cells.at(-1).append(papers, act);
  return el("tr", "", ...cells);
}

function fillEntry(row, line) {
  const [number, name, signed, clerk, state, act] = row.cells;
  setText(number, String(line.entry));
  setText(name, `${line.guest} \u00b7\u00b7\u00b7${line.last4}`);
  setText(signed, line.signed_text);
  setText(clerk, line.clerk);
  setText(state, line.withdrawn_text || say("stands"));
  row.classList.toggle("gone", Boolean(line.withdrawn_text));
  const [papers, button] = act.children;
  papers.hidden = !(snapshot.roles.papers ?? []).includes(me.role);
  papers.setAttribute("aria-label", say("papers_of", line));
  papers.onclick = () => openPapers({ of: `register:${line.entry}`, title: say("papers_of", line) });
  button.hidden = Boolean(line.withdrawn_text) || !snapshot.register.open;
  button.setAttribute("aria-label", say("withdraw_of", line));
  button.onclick = () => openAct("withdraw", line);
}

wireAct("withdraw", {
  path: "/register/withdraw",
  key: (line) => line.entry,
  title: (line) => say("withdraw_title", line),
  what: (line) => say("withdraw_what", line),
  needs: [["in_person", "need_person"], ["id_type", "need_id_type"], ["id_number", "need_id"]],
  faults: {
    SS_REGISTER_IN_PERSON_ONLY: "in_person",
    SS_REGISTER_ID_REQUIRED: "id_number",
  },
  body: (line, fields) => ({
    entry: line.entry,
    in_person: fields.in_person.checked,
    id_type: fields.id_type.value,
    id_number: fields.id_number.value.trim(),
  }),
  done: (line) => tellDone(say("withdrawn_done", line)),
});
