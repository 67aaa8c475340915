// Who works here and on which devices. The lists are read when the page is opened, after each act, and on coming back.
import { mark } from "../../web_display/static/marks.js";
import { clockText } from "../../web_display/static/server_clock.js";
import { el, keyed, say, setText } from "../../web_display/static/words.js";
import { openForm } from "./dialog_forms.js";
import { wireForms } from "./people_forms.js";
import { send } from "./page_send.js";
import { me, tell } from "./signed_words.js";

const place = document.querySelector(".people-page");
const may = place.dataset.may === "yes";
const find = (name) => place.querySelector(name);
const DONE_STAYS_MS = 12_000;
const DAY_MS = 86_400_000;
let shown = null;
let timer = 0;

async function load() {
  try {
    const answer = await fetch("/console/people.json", { cache: "no-store", signal: AbortSignal.timeout(12_000) });
    if (answer.status === 401) dispatchEvent(new Event("signed-out"));
    if (!answer.ok) return;
    shown = await answer.json();
    fill();
  } catch {
    refuse(say("not_sent"));
  }
}

function fill() {
  keyed(find(".staff tbody"), shown.people, ({ id }) => id, () => row(find(".staff")), fillPerson);
  find(".devices").hidden = !shown.devices.length;
  find(".none").hidden = shown.devices.length > 0;
  keyed(find(".devices tbody"), shown.devices, ({ id }) => id, () => row(find(".devices")), fillDevice);
}

function row(table) {
  const cells = [...table.querySelectorAll("th")].map((head) => {
    const cell = el("td");
    cell.dataset.head = head.textContent;
    return cell;
  });
  if (may) cells.at(-1).className = "acts-cell";
  return el("tr", "", ...cells);
}

// -- people -----------------------------------------------------------------------------------------------------------

function fillPerson(node, person) {
  const [name, number, role, secret, now, acts] = node.cells;
  setText(name, person.id === me.id ? `${person.name} (${say("you")})` : person.name);
  setText(number, person.id);
  setText(role, tell(`role_${person.role}`));
  setText(secret, secretText(person));
  now.className = "now";
  fillNow(now, person);
  if (may) keyed(acts, actsOf(person), (act) => act, makeAct, (button, act) => fillAct(button, act, person));
}

function secretText({ secret, code_until: until }) {
  if (secret !== "code") return say(`secret_${secret ?? ""}`);
  return until !== null && until <= shown.server_now ? say("secret_code_over") : say("secret_code", { time: timeText(until) });
}

function fillNow(cell, person) {
  const lines = [];
  if (person.locked_until) lines.push(["bad", say("locked", { time: timeText(person.locked_until) })]);
  const days = { from: dayText(person.valid_from), until: dayText(person.valid_until && person.valid_until - 1) };
  if (person.valid_from && person.valid_until) lines.push(["", say("from_until", days)]);
  else if (person.valid_from && person.valid_from > shown.server_now) lines.push(["", say("from_only", days)]);
  else if (person.valid_until) lines.push(["", say("until_only", days)]);
  for (const one of person.signed_in) lines.push(["", say("in_until", { time: timeText(one.ends_at), where: titleOf(one.device) })]);
  if (!person.signed_in.length) lines.push(["quiet", say("not_in")]);
  const says = JSON.stringify(lines);
  if (cell.dataset.says === says) return;
  cell.dataset.says = says;
  cell.replaceChildren(...lines.map(([kind, words]) => el("p", kind, kind === "bad" ? mark("late") : "", kind === "bad" ? " " : "", words)));
}

const titleOf = (device) => shown.devices.find(({ id }) => id === device)?.title ?? say("in_where_none");

function actsOf(person) {
  const mine = person.id === me.id;
  return ["change_role", ...(mine ? [] : ["give_code"]), ...(person.locked_until ? ["unlock"] : []), ...(mine ? [] : ["end"])];
}

function makeAct(act) {
  const button = el("button", "btn bare", say(act));
  button.type = "button";
  return button;
}

const OPENS = { change_role: "role", give_code: "code", end: "end" };

function fillAct(button, act, person) {
  button.setAttribute("aria-label", say(`${act}_of`, person));
  button.onclick = () => (act === "unlock" ? unlock(person) : openForm(OPENS[act], person));
}

async function unlock(person) {
  refuse("");
  try {
    const { said } = await send("/console/people/unlock", { person: person.id });
    if (said.ok) done(say("unlocked", person));
    else refuse(said.sentence);
  } catch {
    refuse(say("not_sent"));
  }
}

// -- devices ----------------------------------------------------------------------------------------------------------

function fillDevice(node, device) {
  const [title, kind, since, by, acts] = node.cells;
  setText(title, device.title);
  setText(kind, say(`kind_${device.kind}`));
  setText(since, `${dayText(device.enrolled_at)} ${clockText(device.enrolled_at, shown.utc_offset_minutes)}`);
  setText(by, nameOf(device.by));
  if (!may) return;
  keyed(acts, ["revoke"], (act) => act, makeAct, (button) => {
    button.setAttribute("aria-label", say("revoke_of", device));
    button.onclick = () => openForm("revoke", device);
  });
}

function nameOf(actor) {
  const [role, , id] = /^([^:]*)(:)(.*)$/.exec(actor)?.slice(1) ?? ["", "", actor];
  return role === "technician" ? say("technician") : (shown.people.find((person) => person.id === id)?.name ?? id);
}

// -- times and lines ----------------------------------------------------------------------------------------------

function dayText(at) {
  return at === null || at === undefined ? "" : new Date(at + shown.utc_offset_minutes * 60_000).toISOString().slice(0, 10);
}

export function timeText(at) {
  const clock = clockText(at, shown.utc_offset_minutes);
  return Math.abs(at - shown.server_now) < DAY_MS / 2 ? clock : `${dayText(at)} ${clock}`;
}

function done(sentence) {
  const line = find(".done");
  line.hidden = !sentence;
  line.replaceChildren(...(sentence ? [mark("won"), el("span", "", sentence)] : []));
  clearTimeout(timer);
  timer = setTimeout(() => (line.hidden = true), DONE_STAYS_MS);
  load();
}

function refuse(sentence) {
  const line = find(".refused");
  line.hidden = !sentence;
  setText(line, sentence);
}

if (may) wireForms({ done, timeText });
document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && load());
load();
