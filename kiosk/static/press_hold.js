// What cannot be undone is pressed and held: ten steps in 1.6 s, let go = nothing. A keyboard, a switch or a screen
// reader cannot hold: there Enter asks once more in words.
import { mark } from "../../web_display/static/marks.js";
import { el, say, setText } from "../../web_display/static/words.js";
import { askOnce } from "./press_ask.js";

const HOLD_MS = 1600;
const STEPS = 10;

export function decideButton(kind, title, then, act) {
  const button = el(
    "button",
    "decide",
    el("span", "sig", mark(kind)),
    el("span", "say", el("b", "", title), el("span", "then", then)),
  );
  button.type = "button";
  if (act) button.addEventListener("click", act);
  return button;
}

export function holdButton(title, then, ask, act) {
  const button = decideButton("gone", title, then, null);
  const how = el("span", "how", say("hold"));
  button.classList.add("hold");
  button.querySelector(".say").append(how);
  let begun = null;
  let frame = 0;
  let finger = false;

  const stop = () => {
    cancelAnimationFrame(frame);
    begun = null;
    button.style.setProperty("--held", "0");
    setText(how, say("hold"));
  };
  const step = (time) => {
    begun ??= time;
    const part = Math.min(1, (time - begun) / HOLD_MS);
    button.style.setProperty("--held", String(Math.floor(part * STEPS) / STEPS));
    if (part < 1) {
      frame = requestAnimationFrame(step);
      return;
    }
    stop();
    act();
  };
  button.addEventListener("pointerdown", (event) => {
    if (button.disabled || event.button !== 0) return;
    finger = true;
    setText(how, say("hold_on"));
    frame = requestAnimationFrame(step);
  });
  button.addEventListener("pointermove", (event) => {
    const box = button.getBoundingClientRect();
    const inside = event.clientX >= box.left && event.clientX <= box.right && event.clientY >= box.top && event.clientY <= box.bottom;
    if (!inside) stop();
  });
  for (const event of ["pointerup", "pointercancel", "pointerleave", "lostpointercapture"]) button.addEventListener(event, stop);
  button.addEventListener("contextmenu", (event) => event.preventDefault());
  button.addEventListener("click", async (event) => {
    const held = finger && event.detail > 0;
    finger = false;
    if (!held && (await askOnce(ask))) act();
  });
  return button;
}
