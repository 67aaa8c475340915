// The crew's training: the crew's own tablet over a floor of its own, with what one would see and what one would press.
import { mark } from "../../web_display/static/marks.js";
import { el, say, setText } from "../../web_display/static/words.js";
import { money } from "./crew_claim_words.js";
import { Tablet } from "./crew_tablet.js";
import { stayAwake } from "./press_awake.js";
import { recall, remember } from "./press_store.js";
import { me } from "./signed_words.js";
import { TrainingCore } from "./training_core.js";
import { FLOOR, LESSONS } from "./training_lessons.js";
import { boxOf, lineTo } from "./training_line.js";

const BASE = "/crew/training";
const AT_STAGE = ["presented", "checked", "envelope"];
const find = (name) => document.querySelector(name);
const core = { floor: null, changed: () => {} };
let tablet = null;

function begin() {
  history.replaceState(null, "", location.pathname);
  core.floor = new TrainingCore({ me, say, now: () => Date.now(), money: (cents) => money(cents, "R\u00a0"), changed: () => core.changed() });
  find(".report").hidden = true;
  document.body.classList.remove("reported");
  core.changed();
}

// -- what stands beside it --------------------------------------------------------------------------------------------

// The claim to speak of: the open one, else the one that asks for something.
function spokenOf({ claims }) {
  const open = claims.find(({ key }) => key === decodeURIComponent(location.hash.slice(1)));
  const asks = ["presented", "selected", "taken", "found", "checked", "envelope", "not_there", "announced"];
  return open ?? [...claims].sort((a, b) => asks.indexOf(a.stage) - asks.indexOf(b.stage))[0] ?? null;
}

const first = (...keys) => keys.find((key) => say(key) !== key) ?? keys.at(-1);

function coach() {
  const { snapshot } = tablet.link;
  const claim = spokenOf(snapshot);
  const { id, pocket } = claim ? core.floor.lessonOf(claim) : {};
  const stage = claim?.stage ?? "wait";
  const check = stage === "presented" && tablet.isOpen(claim) ? `hint_${id}_check` : "";
  setText(find(".coach .see p"), say(first(`see_${id}_${stage}`, `see_${stage}`, "see_wait"), { position: claim?.position, pocket }));
  setText(find(".coach .hint p"), say(first(...(check ? [check] : []), `hint_${id}_${stage}`, `hint_${stage}`, "hint_wait")));
  fillSlip(core.floor.slip);
  setText(find(".training-bar .lesson"), say("lesson_of", { n: core.floor.number, all: LESSONS.length }));
}

function fillSlip(slip) {
  const place = find(".coach .slip");
  place.hidden = !slip;
  const said = JSON.stringify(slip);
  if (place.dataset.says === said) return;
  place.dataset.says = said;
  place.querySelector("dl").replaceChildren(...(slip ?? []).flatMap(([name, value]) => [el("dt", "", name), el("dd", "", value)]));
}

function fillHints() {
  const on = recall(`${BASE}.hints`) !== false;
  const button = find(".hints");
  button.setAttribute("aria-pressed", String(on));
  button.replaceChildren(mark(on ? "plain" : "pause"), say(on ? "hints_on" : "hints_off"));
  find(".coach .hint").hidden = !on;
}

function report() {
  const tries = [...core.floor.tries];
  const line = ([id, n]) => {
    const how = n ? say("report_tries", { n }) : say("report_first");
    return el("li", n ? "again" : "well", mark(n ? "late" : "won"), el("span", "", el("b", "", say(`report_${id}`)), `: ${how}`));
  };
  find(".report ul").replaceChildren(...tries.map(line));
  const waits = core.floor.waits;
  setText(find(".report .taken"), say("report_taken", { n: Math.round(waits.reduce((sum, ms) => sum + ms, 0) / Math.max(1, waits.length) / 1000) }));
  setText(find(".report .said"), say(tries.some(([, n]) => n) ? "report_some" : "report_all"));
  document.body.classList.add("reported");
  find(".report").hidden = false;
  find(".report h1").focus();
}

// The last claim may still be open on its own page: the list comes when that has been left.
function mindEnd() {
  if (core.floor.over && find(".report").hidden && !document.body.classList.contains("viewing")) report();
}

// -- the page ---------------------------------------------------------------------------------------------------------

remember(`${BASE}.floor`, { ...FLOOR, zones: { TRAINING: say("zone_main") } });
core.floor = new TrainingCore({ me, say, now: () => Date.now(), money: (cents) => money(cents, "R\u00a0"), changed: () => core.changed() });
history.replaceState(null, "", location.pathname);
tablet = new (class extends Tablet {
  isOpen = ({ key }) => key === decodeURIComponent(location.hash.slice(1));

  changed() {
    super.changed();
    if (this.link?.snapshot && tablet) coach();
  }
})(BASE, { Link: lineTo(core), Box: boxOf(core) });
core.changed = () => tablet.link.hear();
tablet.start();
coach();
fillHints();
for (const dialog of document.querySelectorAll("dialog.tablet")) dialog.dataset.training = say("training");
find(".hints").addEventListener("click", () => {
  remember(`${BASE}.hints`, recall(`${BASE}.hints`) === false);
  fillHints();
});
find(".report .again").addEventListener("click", begin);
setInterval(() => {
  core.floor.tick();
  mindEnd();
}, 200);
stayAwake();
