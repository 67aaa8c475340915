// The two lines every tablet page has: the connection's, under the bar, and the last press's, at the foot.
import { mark } from "../../web_display/static/marks.js";
import { clockText } from "../../web_display/static/server_clock.js";
import { el, say } from "../../web_display/static/words.js";
import { goToSignIn } from "./signed_out.js";

const SHOWN_AFTER_MS = 400; // an answer that comes at once is not preceded by a line about waiting

export const timeOf = (link, at) => clockText(at, link.snapshot?.utc_offset_minutes ?? 0, true);

export function fillLost(line, link, box) {
  const waits = box.waiting.length;
  const time = link.snapshot ? timeOf(link, link.heardAt) : "\u2013";
  const words = !link.lost ? "" : [say("lost", { time }), waits ? say("lost_press") : ""].join(" ").trim();
  fill(line, words, words ? [mark("send"), el("span", "", words)] : []);
}

// What waits for a person rather than for the network: whose press it is, and the way to sign in.
export function fillUnsent(line, link, box) {
  const barred = [...(box.barred ? box.waiting : []), ...box.others];
  const said = barred.map((press) => {
    return say("press_barred", { press: press.label, time: timeOf(link, press.pressedAt), name: press.who || press.body.by });
  });
  fill(line, said.join(" "), barred.length ? [mark("send"), el("span", "", said.join(" ")), signInButton()] : []);
}

function signInButton() {
  const button = el("button", "btn", say("sign_in"));
  button.type = "button";
  button.addEventListener("click", goToSignIn);
  return button;
}

export function fillToast(line, link, box) {
  const { waiting, last } = box;
  const [first] = waiting;
  if (first && (box.stuck || link.lost || link.now() - first.pressedAt > SHOWN_AFTER_MS)) {
    const said = [say("press_waits", { press: first.label, time: timeOf(link, first.pressedAt) })];
    if (waiting.length > 1) said.push(say("presses_wait", { n: waiting.length }));
    if (waiting.some((press) => press.body.verb === "present" || press.body.verb === "announce")) said.push(say("server_counts"));
    fill(line, said.join(" "), [mark("send"), el("span", "", said.join(" "))], "wait");
  } else if (last && !last.ok) {
    const words = [el("b", "", last.label), ": ", last.sentence, " ", el("small", "", last.code)];
    fill(line, `${last.at}${last.label}${last.sentence}`, [mark("late"), el("span", "", ...words)], "stop");
  } else if (last) {
    const words = say("press_arrived", { press: last.label, time: timeOf(link, last.at) });
    fill(line, words, [mark("won"), el("span", "", words)], "done");
  } else {
    fill(line, "", []);
  }
}

// Put in only what differs: a line is read out each time it changes.
function fill(line, key, parts, kind = "") {
  if (line.dataset.says === `${kind}${key}`) return;
  line.dataset.says = `${kind}${key}`;
  line.hidden = !parts.length;
  for (const name of ["wait", "stop", "done"]) line.classList.toggle(name, name === kind);
  line.replaceChildren(...parts);
}
