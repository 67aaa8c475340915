// The envelope: the tray's pocket scanned or typed, the envelope opened, its amount typed, the guest's signature.
import { mark } from "../../web_display/static/marks.js";
import { el, say, setText } from "../../web_display/static/words.js";
import { nameOf } from "./crew_claim_words.js";
import { heading } from "./crew_steps.js";
import { askOnce } from "./press_ask.js";
import { SignPad } from "./sign_pad.js";

const OFFERED = 8;
const SCAN_MS = 1000; // between the letters of one code: a scanner types in a breath, a finger in less than this

// A scanner types like a keyboard and ends with Enter: wherever the focus is, whatever is still under way, its letters go
// into the field and its Enter sends what stands there.
export function pocketStep(tablet, claim) {
  const input = field("text");
  const fault = el("p", "fault");
  const offer = el("div", "offer");
  const left = el("p", "hint");
  const label = el("label", "", say("pocket"));
  label.htmlFor = input.id = "pocket";
  const use = el("button", "btn do", say("pocket_use"));
  use.type = "submit";
  const form = el("form", "", el("div", "field", label, input, left, fault), use);
  form.noValidate = true;
  const tray = () => tablet.link.snapshot.tray;
  let later = ""; // what came while the press before was under way: it is sent when that has been answered
  const send = (pocket) => {
    later = tablet.pending(claim) ? pocket : "";
    if (!later) tablet.press("envelope", claim, { pocket });
  };
  const sendLater = () => later && send(later);
  const fill = () => {
    const typed = input.value.trim().toUpperCase();
    setText(left, say("pockets_left", { n: tray().length }));
    const near = tray().filter((pocket) => pocket.includes(typed) || pocket === pocketOf(typed)).slice(0, OFFERED);
    if (offer.dataset.shows === near.join()) return; // a button that has the focus stays
    offer.dataset.shows = near.join();
    offer.replaceChildren(...near.map((pocket) => button("btn", pocket, () => send(pocket))));
  };
  input.addEventListener("input", () => {
    setText(fault, "");
    fill();
  });
  const useTyped = () => {
    const pocket = pocketOf(input.value);
    const found = tray().find((one) => one === pocket);
    setText(fault, found ? "" : pocket ? say("pocket_unknown", { pocket }) : say("pocket_missing"));
    if (found) send(found);
    else input.select();
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    useTyped();
  });
  const typed = scanned(input, useTyped);
  document.addEventListener("keydown", typed);
  fill();
  const update = () => {
    fill();
    sendLater();
  };
  const node = el("section", "work pocket", heading(say("pocket_title")), el("p", "said", say("pocket_what")), form, offer, wont(tablet, claim, "refuse_take"));
  return { node, focus: input, update, leave: () => document.removeEventListener("keydown", typed) };
}

// "e-0031", "E0031" and "31" are the pocket E-0031 of the tray.
function pocketOf(text) {
  const plain = text.trim().toUpperCase();
  const digits = /^E?-?(\d{1,4})$/.exec(plain);
  return digits ? `E-${digits[1].padStart(4, "0")}` : plain;
}

// Letters typed anywhere but in the field are put into it here: a focus that only just moves loses some of them. Enter after
// such letters is the scanner's and not for the button that happens to have the focus.
function scanned(input, done) {
  let at = -Infinity;
  return (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.key === "Enter" && (event.target === input || performance.now() - at < SCAN_MS)) {
      event.preventDefault();
      done();
    } else if (event.key.length === 1 && event.key !== " " && event.target !== input) {
      event.preventDefault();
      if (performance.now() - at > SCAN_MS) input.value = "";
      at = performance.now();
      input.value += event.key;
      input.focus();
      input.dispatchEvent(new Event("input"));
    }
  };
}

export function amountStep(tablet, claim, draft) {
  const range = { low: tablet.money(claim.low), high: tablet.money(claim.high) };
  const opened = el("input");
  opened.type = "checkbox";
  opened.checked = draft.opened;
  const input = field("text");
  input.inputMode = "numeric";
  input.autocomplete = "off";
  input.value = draft.amount ? String(draft.amount / 100) : "";
  const label = el("label", "", say("amount"));
  label.htmlFor = input.id = "amount";
  const hint = el("p", "hint", say("amount_rule", range));
  hint.id = "amount-hint";
  const fault = el("p", "fault");
  fault.id = "amount-fault";
  input.setAttribute("aria-describedby", "amount-hint amount-fault");
  const big = el("p", "sum", "");
  const next = el("button", "btn do", say("amount_next"));
  next.type = "submit";
  const form = el("form", "", el("label", "check", opened, el("span", "", say("opened"))), el("div", "field", label, input, hint, fault), big, next);
  form.noValidate = true;
  const faultOf = () => {
    const amount = amountOf(input.value);
    if (amount === null) return say("amount_whole");
    if (amount < claim.low || amount > claim.high) return say("amount_range", { ...range, amount: tablet.money(amount) });
    return opened.checked ? "" : say("opened_missing");
  };
  input.addEventListener("input", () => {
    const amount = amountOf(input.value);
    setText(big, amount === null ? "" : tablet.money(amount));
    setText(fault, "");
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    setText(fault, faultOf());
    input.setAttribute("aria-invalid", String(Boolean(faultOf())));
    if (faultOf()) return;
    Object.assign(draft, { amount: amountOf(input.value), opened: true, phase: "sign" });
    tablet.changed();
  });
  const title = heading(say("amount_title", { pocket: claim.pocket }));
  return { node: el("section", "work amount", title, el("p", "said", say("amount_what")), form, wont(tablet, claim)), focus: opened.checked ? input : null };
}

// Cents of whole rand as they are typed: "850", "1 000"; null for anything else.
function amountOf(text) {
  const plain = text.replace(/[\s\u00a0]/g, "").replace(/^R/i, "");
  return /^\d{1,7}$/.test(plain) ? Number(plain) * 100 : null;
}

export function signStep(tablet, claim, draft) {
  const amount = tablet.money(draft.amount);
  const name = nameOf(claim.guest);
  const missing = el("p", "missing", say("sign_missing"));
  missing.id = "unsigned";
  const print = button("btn do", say("pay"), () => {
    if (pad.isSigned) tablet.press("pay", claim, { amount: draft.amount, signature: pad.value() });
  });
  print.setAttribute("aria-describedby", "unsigned");
  const look = () => {
    print.setAttribute("aria-disabled", String(!pad.isSigned));
    setText(missing, pad.isSigned ? "" : say("sign_missing"));
  };
  const pad = new SignPad({ name, day: tablet.link.snapshot.day_text, label: say("sign_label", { name }), changed: look });
  const clear = button("btn", say("sign_clear"), () => {
    pad.clear();
    look();
  });
  const change = button("btn", say("amount_change"), () => {
    draft.phase = "amount";
    tablet.changed();
  });
  look();
  const facts = el("ul", "", fact(say("fact_checked")), fact(say("fact_pocket", { pocket: claim.pocket })));
  const give = el("section", "give", el("p", "label", name, el("br"), say("card_ends", { last4: claim.guest.last4 })), el("p", "sum", amount), facts, change);
  const work = el("section", "work pad", heading(say("sign_title", { amount })), pad.node, el("div", "acts", clear, print), missing, wont(tablet, claim));
  return { node: work, aside: give, leave: () => pad.leave() };
}

function fact(words) {
  return el("li", "", mark("won"), el("span", "", words));
}

// Small, but always there; asked once more.
function wont(tablet, claim, words = "refuse") {
  const record = button("btn bare", say(words), async () => {
    if (await askOnce({ title: say("ask_refuse"), what: say("ask_refuse_what"), verb: say("refuse_yes") })) tablet.press("refuse", claim);
  });
  return el("p", "wont", record);
}

function button(classes, words, act) {
  const made = el("button", classes, words);
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}

function field(type) {
  const input = el("input");
  input.type = type;
  input.autocomplete = "off";
  input.spellcheck = false;
  return input;
}

