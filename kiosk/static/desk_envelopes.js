// Envelopes: a batch counted by two people, what is left in the trays, the counts of the day, what is taken out.
import { mark } from "../../web_display/static/marks.js";
import { el, keyed, say, setText } from "../../web_display/static/words.js";
import { cents, clearFaults, fault, money, wireForm } from "./desk_form.js";
import { tellDone } from "./desk_frame.js";

const view = document.querySelector('[data-view="envelopes"]');
const [batch, day, cash, out] = ["batch", "day", "cash", "out"].map((name) => view.querySelector(`[data-form="${name}"]`));
const [where, programme] = ["where", "programme"].map((name) => view.querySelector(`[data-part="${name}"]`));
let snapshot = null;
let amounts = [];

export function fillEnvelopes(message) {
  snapshot = message;
  const { tray } = message;
  view.querySelector(".split").hidden = !tray;
  if (!tray) return;
  if (!amounts.length) firstAmounts(tray);
  setText(view.querySelector(".says"), tray.range_text);
  const state = view.querySelector(".hours .state");
  if (state.dataset.says !== tray.pockets_text) {
    state.dataset.says = tray.pockets_text;
    state.replaceChildren(mark(tray.left ? "won" : "pause"), tray.pockets_text);
    state.classList.toggle("is-open", tray.left > 0);
  }
  const says = day.querySelector(".day");
  setText(says, tray.day_text || say("day_none"));
  says.classList.toggle("short", tray.day_short);
  view.querySelector(".batches").hidden = !tray.batches.length;
  view.querySelector(".panel .none").hidden = tray.batches.length > 0;
  keyed(view.querySelector(".batches tbody"), tray.batches, (line) => line.id, makeBatch, fillBatch);
  fillPlaces(where, tray.where);
  where.querySelector(".quiet").hidden = tray.where.some(({ total_text: total }) => total);
  programme.hidden = !tray.programme.length;
  fillPlaces(programme, tray.programme);
  const stated = programme.querySelector(".stated");
  setText(stated, tray.stated_text);
  stated.hidden = !tray.stated_text;
  fillCash(tray);
  countBatch.refresh();
  countDay.refresh();
  countCash.refresh();
  takeOut.refresh();
}

function fillPlaces(panel, lines) {
  keyed(panel.querySelector("tbody"), lines, (line) => line.place, makeWhere, fillWhere);
}

function makeWhere() {
  return el("tr", "", el("th"), el("td", "num"), el("td", "num"));
}

function fillWhere(row, { place, envelopes, total_text: total }) {
  row.cells[0].scope = "row";
  [place, String(envelopes), total].forEach((words, n) => setText(row.cells[n], words));
}

// -- a batch ----------------------------------------------------------------------------------------------------------

function firstAmounts({ least_cents: least, most_cents: most, step_cents: step }) {
  amounts = [];
  for (let amount = least; amount <= most; amount += step) amounts.push(amount);
  fillAmounts();
}

function fillAmounts() {
  keyed(batch.querySelector(".amounts"), amounts, (amount) => amount, makeAmount, () => {});
}

function makeAmount(amount) {
  const input = el("input");
  const words = money(amount, snapshot.currency);
  input.type = "text";
  input.inputMode = "numeric";
  input.maxLength = 4;
  input.autocomplete = "off";
  input.setAttribute("aria-label", say("many_of", { amount: words }));
  return el("label", "amount", el("span", "", words), input);
}

function counted() {
  const rows = [...batch.querySelectorAll(".amount")];
  return rows.map((row) => [Number(row.dataset.key), row.lastElementChild.value.trim()]).filter(([, many]) => many);
}

const whole = (text) => /^\d{1,4}$/.test(text);

function sum() {
  const rows = counted().filter(([, many]) => whole(many));
  const n = rows.reduce((all, [, many]) => all + Number(many), 0);
  return { n, total: rows.reduce((all, [amount, many]) => all + amount * Number(many), 0) };
}

function addAmount() {
  const { other } = batch.elements;
  const { least_cents: least, most_cents: most } = snapshot.tray;
  const amount = cents(other.value);
  const range = { low: money(least, snapshot.currency), high: money(most, snapshot.currency) };
  if (amount === null || amount < least || amount > most) {
    fault(batch, "other", say("amount_outside", range));
    return;
  }
  if (amounts.includes(amount)) {
    fault(batch, "other", say("amount_there"));
    return;
  }
  amounts = [...amounts, amount].sort((one, two) => one - two);
  other.value = "";
  fault(batch, "other", "");
  fillAmounts();
  batch.querySelector(`[data-key="${amount}"] input`).focus();
}

batch.querySelector("[data-add]").addEventListener("click", addAmount);
batch.elements.other.addEventListener("keydown", (event) => {
  if (event.key !== "Enter") return;
  event.preventDefault();
  addAmount();
});

function missingOfBatch() {
  const needs = [];
  const { n, total } = sum();
  setText(batch.querySelector(".sum"), snapshot ? say("batch_total", { n, total: money(total, snapshot.currency) }) : "");
  if (!n || counted().some(([, many]) => !whole(many))) needs.push(["amounts", say("need_counts")]);
  return needs;
}

const countBatch = wireForm(batch, {
  path: "/envelopes/batch",
  missing: missingOfBatch,
  faults: { SS_ENVELOPE_AMOUNT_OUT_OF_RANGE: "amounts", X_VALUE_WRONG: "amounts" },
  body: () => ({ amounts: Object.fromEntries(counted().map(([amount, many]) => [amount, Number(many)])) }),
  done: ({ batch: name }) => {
    clearBatch();
    tellDone(say("batch_done", { batch: name }));
  },
});

function clearBatch() {
  batch.reset();
  clearFaults(batch);
  if (snapshot?.tray) firstAmounts(snapshot.tray);
  countBatch.refresh();
}
batch.querySelector("[data-clear]").addEventListener("click", clearBatch);

function makeBatch() {
  const heads = [...view.querySelectorAll(".batches th")];
  const cells = heads.map((head) => {
    const cell = el("td", head.className);
    cell.dataset.head = head.textContent;
    return cell;
  });
  return el("tr", "", ...cells);
}

function fillBatch(row, line) {
  const total = line.total_text || "\u2013"; // not before the day is closed
  const words = [line.id, `${line.counted_text}, ${line.by}`, line.pockets_text, line.envelopes, line.left, total];
  words.forEach((text, n) => setText(row.cells[n], String(text)));
}

// -- the day ----------------------------------------------------------------------------------------------------------

const countDay = wireForm(day, {
  path: "/envelopes/day",
  missing: () => (/^\d{1,6}$/.test(day.elements.left.value.trim()) ? [] : [["left", say("need_left")]]),
  faults: { X_VALUE_WRONG: "left" },
  body: () => ({ left: Number(day.elements.left.value.trim()) }),
  done: ({ sentence }) => {
    day.reset();
    clearFaults(day);
    tellDone(sentence);
  },
});

// -- the cash, of a closed day ----------------------------------------------------------------------------------------

function fillCash(tray) {
  const [later, what, says, nothing, counting] = [".later", ".what", ".day", ".nothing", ".counting"].map((part) =>
    cash.querySelector(part),
  );
  const some = tray.cash_most > 0;
  later.hidden = tray.cash_open;
  what.hidden = !tray.cash_open || !some;
  says.hidden = !tray.cash_open || !(some || tray.cash_text);
  nothing.hidden = !tray.cash_open || some;
  counting.hidden = !tray.cash_open || !some;
  setText(says, tray.cash_text || say("cash_none"));
  says.classList.toggle("short", tray.cash_short);
  setText(cash.querySelector("#cash-opened-hint"), say("opened_most", { n: tray.cash_most }));
}

function missingOfCash() {
  const { opened, cash: money } = cash.elements;
  const needs = [];
  if (!/^[1-9]\d{0,5}$/.test(opened.value.trim())) needs.push(["opened", say("need_opened")]);
  if (cents(money.value) === null) needs.push(["cash", say("need_cash")]);
  return needs;
}

const countCash = wireForm(cash, {
  path: "/envelopes/cash",
  missing: missingOfCash,
  faults: { X_VALUE_WRONG: "opened", SS_ENVELOPE_AMOUNT_OUT_OF_RANGE: "cash" },
  body: () => ({ opened: Number(cash.elements.opened.value.trim()), cents: cents(cash.elements.cash.value) }),
  done: ({ sentence }) => {
    cash.reset();
    clearFaults(cash);
    tellDone(sentence);
  },
});

// -- taken out --------------------------------------------------------------------------------------------------------

const takeOut = wireForm(out, {
  path: "/envelopes/withdraw",
  missing: () => (out.elements.pocket.value.trim() ? [] : [["pocket", say("need_pocket")]]),
  faults: { X_NO_SUCH_POCKET: "pocket", SS_ENVELOPE_USED: "pocket" },
  body: () => ({ pocket: out.elements.pocket.value.trim() }),
  done: ({ pocket }) => {
    out.reset();
    clearFaults(out);
    takeOut.refresh();
    tellDone(say("out_done", { pocket }));
  },
});
