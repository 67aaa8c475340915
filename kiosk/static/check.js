// The guest's check of a published draw. What stands behind the # stays here: no browser sends it, and it is taken out of the
// address at once, so that it is in no history of this phone.
import { say } from "../../web_display/static/words.js";
import { pathOf } from "./check_ask.js";
import "./check_draws.js";
import { showMine } from "./check_mine.js";
import { showProof } from "./check_proof.js";

const front = document.querySelector(".front");
const form = front.querySelector("form");
const told = front.querySelector(".told");

function show(name) {
  for (const section of document.querySelectorAll("main > .mine, main > .proof, main > .front")) section.hidden = !section.classList.contains(name);
  if (name !== "front") document.querySelector(`.${name} h1`).focus();
}

// {secret, draw} or {proof} of what stands behind a #; null for what is neither.
function codeOf(text) {
  if (text.startsWith("FD1:")) return { proof: text };
  const given = new URLSearchParams(text);
  const secret = (given.get("s") ?? "").toLowerCase();
  const draw = given.get("draw") ?? "";
  return /^[0-9a-f]{64}$/.test(secret) && pathOf(draw) !== null ? { secret, draw } : null;
}

function go({ proof, secret, draw }) {
  window.scrollTo(0, 0);
  if (proof !== undefined) {
    show("proof");
    return showProof(proof);
  }
  show("mine");
  return showMine(secret, draw);
}

function begin() {
  const text = location.hash.slice(1);
  if (text === "content" || text === "") return;
  history.replaceState(null, "", location.pathname);
  const code = codeOf(text);
  if (code) return void go(code);
  told.textContent = say("link_wrong");
  told.hidden = false;
  show("front");
}

function wrong(name, sentence) {
  const field = form.elements[name];
  const fault = document.getElementById(`${name}-fault`);
  field.setAttribute("aria-invalid", String(sentence !== ""));
  fault.textContent = sentence;
  fault.hidden = sentence === "";
  if (sentence) field.focus();
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const text = form.elements.code.value.trim();
  const draw = form.elements.draw?.value ?? "";
  const code = codeOf(text.slice(text.indexOf("#") + 1));
  const key = text.replace(/[\s-]/g, "").toLowerCase();
  wrong("code", "");
  if (form.elements.draw) wrong("draw", "");
  if (code) return void go(code);
  if (!/^[0-9a-f]+$/.test(key)) return wrong("code", say("code_wrong"));
  if (key.length !== 64) return wrong("code", say("code_short", { n: key.length }));
  if (draw === "") return form.elements.draw ? wrong("draw", say("code_no_draw")) : wrong("code", say("draws_none"));
  return void go({ secret: key, draw });
});

window.addEventListener("hashchange", begin);
begin();
