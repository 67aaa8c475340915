// Which desk this machine stands at, and who works there: the person is whoever is signed in, the desk is kept here.
import { say, setText } from "../../web_display/static/words.js";
import { fillOptions, wireForm } from "./desk_form.js";
import { me } from "./signed_words.js";

const KEPT = "floordraw.desk";
const dialog = document.querySelector('dialog[data-act="who"]');
const form = dialog.querySelector("form");
const button = document.querySelector(".bar .who");
const asked = [];
let chosen = read();
let device = "";
let names = {};

function read() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT));
    return typeof kept?.desk === "string" ? kept.desk : "";
  } catch {
    return "";
  }
}

// {by, desk}, or null while it is not known which desk this is.
export function who() {
  const desk = names[chosen] ? chosen : named(device);
  return desk && me.id ? { by: me.id, desk } : null;
}

// A device that was enrolled as a desk is that desk until somebody says otherwise.
function named(title) {
  const plain = (text) => text.trim().toLowerCase();
  const found = Object.entries(names).find(([id, name]) => [id, name].map(plain).includes(plain(title)));
  return found?.[0] ?? "";
}

export function whenWhoChanges(tell) {
  asked.push(tell);
}

export function fillWho(snapshot) {
  const first = !Object.keys(names).length;
  names = snapshot.desk_names;
  fillOptions(form.elements.desk, Object.entries(names));
  show();
  if (first) for (const tell of asked) tell();
}

function show() {
  const desk = who()?.desk;
  setText(button, desk ? names[desk] : say("choose_who"));
  button.classList.toggle("nobody", !desk);
}

function ask() {
  form.elements.desk.value = who()?.desk ?? "";
  wired.refresh();
  if (!dialog.open) dialog.showModal();
}

const wired = wireForm(form, {
  missing: () => (form.elements.desk.value ? [] : [["desk", say("which_desk")]]),
  act: () => {
    chosen = form.elements.desk.value;
    keep();
    return { ok: true };
  },
  done: () => {
    dialog.close();
    show();
    for (const tell of asked) tell();
  },
});

// A browser that keeps nothing asks again at the next start; the choice holds until then.
function keep() {
  try {
    localStorage.setItem(KEPT, JSON.stringify({ desk: chosen }));
  } catch {
    return;
  }
}

addEventListener("signed-in", ({ detail }) => {
  device = detail.device?.kind === "desk" ? detail.device.title : "";
  show();
  for (const tell of asked) tell();
});
form.querySelector("[data-back]").addEventListener("click", () => dialog.close());
button.addEventListener("click", ask);
