// Slips: the ones that wait for a person, what was printed, and the printers in words.
import { mark } from "../../web_display/static/marks.js";
import { el, keyed, say, setText } from "../../web_display/static/words.js";
import { refused } from "./desk_form.js";
import { tellDone } from "./desk_frame.js";
import { Sending } from "./desk_send.js";

const view = document.querySelector('[data-view="slips"]');
const decide = view.querySelector('[data-part="decide"]');
const MARKS = { queued: "wait", sending: "send", printed: "won", unknown: "late", failed: "late", dropped: "gone" };
const PRINTER_MARKS = { ready: "plain", silent: "pause", paper_low: "pause", never: "pause" };
const DECIDES = ["came_out", "reprint", "drop"];
const inDoubt = ({ acts }) => acts.includes("came_out");
const sending = new Sending();
let busy = false;

export function fillSlips({ slips, printers }) {
  const waiting = slips.filter(inDoubt);
  setText(view.querySelector(".says"), waiting.length ? say("slips_wait", { n: waiting.length }) : say("slips_fine"));
  decide.hidden = !waiting.length;
  keyed(decide.querySelector(".waiting"), waiting, ({ job }) => job, makeWaiting, fillWaiting);
  view.querySelector(".slips").hidden = !slips.length;
  view.querySelector(".panels .none").hidden = slips.length > 0;
  keyed(view.querySelector(".slips tbody"), slips, ({ job }) => job, makeSlip, fillSlip);
  const lines = view.querySelector(".printers");
  lines.parentElement.querySelector(".none").hidden = printers.length > 0;
  keyed(lines, printers, ({ id }) => id, () => el("li", "", el("span", "sign"), el("p")), fillPrinter);
}

function makeWaiting() {
  return el("li", "", el("div", "", el("h3"), el("p", "quiet"), el("p", "says-state"), el("p", "todo")), el("div", "three"));
}

function fillWaiting(node, slip) {
  setText(node.querySelector("h3"), slip.title);
  setText(node.querySelector(".quiet"), `${slip.about}, ${slip.at_text}`);
  setText(node.querySelector(".says-state"), slip.state_sentence);
  setText(node.querySelector(".todo"), slip.todo);
  const acts = DECIDES.filter((act) => slip.acts.includes(act));
  keyed(node.querySelector(".three"), acts, (act) => act, makeButton, (button, act) => fillButton(button, slip, act));
}

function makeButton(act) {
  const button = el("button", "btn", say(act));
  button.type = "button";
  return button;
}

function fillButton(button, slip, act) {
  button.setAttribute("aria-label", say("of_slip", { act: say(act), title: slip.title, about: slip.about }));
  button.onclick = () => settle(slip, act);
}

function makeSlip() {
  const heads = [...view.querySelectorAll(".slips th")];
  const cells = heads.map((head) => {
    const cell = el("td");
    cell.dataset.head = head.textContent;
    return cell;
  });
  cells[3].append(el("span", "chip"));
  cells[4].className = "acts-cell";
  return el("tr", "", ...cells);
}

function fillSlip(row, slip) {
  const [at, title, about, state, act] = row.cells;
  setText(at, slip.at_text);
  setText(title, slip.title);
  setText(about, slip.about);
  const chip = state.firstElementChild;
  if (chip.dataset.says !== slip.state_sentence) {
    chip.dataset.says = slip.state_sentence;
    chip.className = `chip ${slip.state}`;
    chip.replaceChildren(mark(MARKS[slip.state] ?? "plain"), slip.state_sentence);
  }
  const acts = inDoubt(slip) ? [] : slip.acts;
  keyed(act, acts, (name) => name, makeButton, (button, name) => fillButton(button, slip, name));
}

function fillPrinter(node, { state, sentence }) {
  const shape = PRINTER_MARKS[state] ?? "late";
  if (node.dataset.says === shape + sentence) return;
  node.dataset.says = shape + sentence;
  node.className = shape === "late" ? "bad" : shape === "pause" ? "warn" : "";
  node.firstElementChild.replaceChildren(mark(shape));
  setText(node.lastElementChild, sentence);
}

async function settle(slip, act) {
  if (busy) return;
  busy = true;
  refused(decide, "");
  const again = act === "again";
  const body = { job: slip.job, ...(again ? {} : { decision: act }) };
  const answer = await sending.send(again ? "/slips/again" : "/slips/settle", body);
  busy = false;
  if (answer.ok) tellDone(say("settled"));
  else sayWhy(answer);
}

function sayWhy({ sentence, code }) {
  decide.hidden = false;
  refused(decide, sentence, code);
}
