// The dice: typed on the keypad or a keyboard, shown in fives, read back large, then given.
import { el, say, setText } from "../../web_display/static/words.js";
import { fillGroups, groups } from "./witness_groups.js";
import { faultAt, post, refusedIn } from "./witness_send.js";

const FIVE = 5;
const view = document.querySelector(".act.dice");
const field = view.querySelector("input");
const boxes = view.querySelector(".boxes");
const dialog = document.querySelector("dialog.back");
let draw = null;
let source = null;

// The asked source of the shown draw; null when nothing is asked, or whoever looks may not give.
export function fillDice(shown, may) {
  const asked = shown?.sources.find(({ name }) => name === shown.give.source) ?? null;
  if (`${shown?.id} ${asked?.name}` !== `${draw?.id} ${source?.name}`) {
    field.value = "";
    faultAt(field, "");
    if (dialog.open) dialog.close();
  }
  draw = shown;
  source = asked;
  view.hidden = !asked || !may;
  if (view.hidden) return;
  setText(view.querySelector(".asked"), shown.give.sentence);
  setText(view.querySelector("label"), say(asked.dice ? "dice_field" : "beacon_field"));
  view.classList.toggle("is-beacon", !asked.dice);
  field.inputMode = asked.dice ? "none" : "text";
  show();
}

const typed = () => field.value.replace(/\s+/g, "");

function show() {
  if (!source?.dice) return;
  const signs = [...typed()];
  const boxOf = (n) => {
    const sign = signs[n];
    const box = el("span", "box", sign ?? "");
    box.classList.toggle("next", n === signs.length);
    box.classList.toggle("wrong", sign !== undefined && (!/[0-9]/.test(sign) || n >= source.dice));
    return box;
  };
  const all = Array.from({ length: Math.max(source.dice, signs.length) }, (_, n) => boxOf(n));
  const rows = [];
  for (let n = 0; n < all.length; n += FIVE) rows.push(el("span", "five", ...all.slice(n, n + FIVE)));
  boxes.replaceChildren(...rows);
  setText(view.querySelector(".left"), leftText(signs.length));
}

function leftText(n) {
  const left = source.dice - n;
  if (left > 0) return say("dice_left", { n: left });
  return left ? say("dice_over", { n: -left }) : say("dice_full", { n: source.dice });
}

function faultOf(text) {
  if (!source.dice) return text ? "" : say("beacon_empty");
  const strange = [...text].findIndex((sign) => !/[0-9]/.test(sign));
  if (strange >= 0) return say("dice_strange", { n: strange + 1 });
  return text.length === source.dice ? "" : say("dice_not_all", { n: text.length, asked: source.dice });
}

function readBack() {
  const fault = faultOf(typed());
  faultAt(field, fault);
  if (fault) return field.focus();
  const read = dialog.querySelector(".read");
  read.replaceChildren(...groups(typed(), source.dice ? FIVE : 16));
  read.classList.toggle("is-beacon", !source.dice);
  refusedIn(dialog, "");
  dialog.showModal();
}

async function give() {
  const button = dialog.querySelector("[data-do]");
  if (button.disabled) return;
  button.disabled = true;
  const answer = await post("dice", { draw: draw.id, source: source.name, text: typed() });
  button.disabled = false;
  if (answer.ok) return dialog.close();
  if (!answer.faults) return refusedIn(dialog, answer.sentence);
  dialog.close();
  faultAt(field, answer.faults.text);
  field.focus();
}

// The given ones, for all to see; and where none are asked or taken, why.
export function fillGiven(shown) {
  const given = shown.sources.filter(({ text }) => text);
  const place = document.querySelector(".promise .given");
  place.hidden = !given.length;
  const rows = place.querySelector(".rows");
  if (rows.dataset.says !== JSON.stringify(given)) {
    rows.dataset.says = JSON.stringify(given);
    rows.replaceChildren(...given.map(({ name, text, dice, given_text: at }) => {
      const digits = el("p", dice ? "digits" : "digits is-beacon");
      fillGroups(digits, text, dice ? FIVE : 16);
      return el("div", "", digits, el("p", "quiet", `${name}. ${say("given", { time: at })}`));
    }));
  }
  const why = document.querySelector(".no-dice");
  why.hidden = given.length > 0 || Boolean(shown.give.source);
  setText(why, shown.give.sentence);
}

field.addEventListener("input", () => {
  faultAt(field, "");
  show();
});
for (const button of view.querySelectorAll(".keypad .btn")) {
  button.addEventListener("click", () => {
    const { digit } = button.dataset;
    field.value = digit === undefined ? typed().slice(0, -1) : typed() + digit;
    faultAt(field, "");
    show();
  });
}
view.querySelector("form").addEventListener("submit", (event) => {
  event.preventDefault();
  readBack();
});
dialog.querySelector("[data-do]").addEventListener("click", give);
dialog.querySelector("[data-no]").addEventListener("click", () => {
  dialog.close();
  field.focus();
});
