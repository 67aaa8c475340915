// A proof alone (`#FD1:…`): whole or not, of which root, who stands in it, and whether the house published that root.
import { el, say } from "../../web_display/static/words.js";
import { readProof } from "./check_arithmetic.js";
import { ask, Refused } from "./check_ask.js";
import { faultOf, figure, hash, marked } from "./check_say.js";
import { fits } from "./check_verdict.js";

const place = document.querySelector(".proof");
const form = place.querySelector("form");
const found = place.querySelector(".found");
const refs = place.querySelector(".refs");
const says = place.querySelector("#paper-says");
let root = "";

// Show what a proof says; then ask where its root was published. Of the proof the house is told that root alone.
export async function showProof(text) {
  const proof = opened(text);
  form.hidden = proof === null;
  form.reset();
  says.textContent = "";
  if (proof === null) return;
  root = proof.root;
  const published = el("div", "published");
  published.setAttribute("role", "status");
  found.replaceChildren(marked("won", "verdict", say("proof_holds")), marked("won", "tag", say("checked")), published, facts(proof));
  refs.replaceChildren(el("h2", "", say("proof_refs")), el("ol", "", ...proof.ranges.map(range)), el("p", "quiet", say("proof_not_who")));
  const told = await publishedAs(text);
  if (root === proof.root) published.replaceChildren(...told);
}

function opened(text) {
  try {
    return readProof(text);
  } catch (fault) {
    found.replaceChildren(marked("late", "verdict stop", say("proof_broken")), el("p", "", faultOf(fault)));
    refs.replaceChildren();
    return null;
  }
}

function facts({ root: shown, low, high, total, leaf, count }) {
  const line = (name, ...value) => [el("dt", "", name), el("dd", "", ...value)];
  const size = low === high ? figure(low) : say("proof_size_between", { low: figure(low), high: figure(high) });
  return el("dl", "",
    ...line(say("proof_root"), hash(shown)),
    ...line(say("proof_size"), size),
    ...line(say("proof_total"), figure(total)),
    ...line(say("proof_where"), say("proof_part", { n: figure(leaf + 1), of: figure(count) })));
}

function range({ ref, first, last }) {
  const tickets = first === last ? say("proof_ticket", { first: figure(first) }) : say("proof_tickets", { first: figure(first), last: figure(last) });
  return el("li", "", hash(ref), " ", el("span", "quiet", tickets));
}

async function publishedAs(text) {
  try {
    const { found: places } = await ask(`/check/root/${root}`);
    if (places.length === 0) return [marked("wait", "says", say("proof_unpublished"))];
    return places.map((one) => {
      if (!fits(text, { root, size: one.size, total: one.total })) return marked("late", "says stop", say("proof_published_wrong"));
      return marked("won", "says", say("proof_published", { time: one.times.join(", "), title: one.title, size: figure(one.size), n: one.size }));
    });
  } catch (refused) {
    if (!(refused instanceof Refused)) throw refused;
    return [marked("wait", "says", say("proof_unasked"))];
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const typed = form.elements.paper.value.toLowerCase().replace(/[^0-9a-z]/g, "");
  if (!/^[0-9a-f]{8,64}$/.test(typed)) says.textContent = say("proof_compare_short");
  else if (root.startsWith(typed)) says.textContent = say("proof_same", { n: typed.length });
  else says.textContent = say("proof_other", { paper: typed, proof: root.slice(0, typed.length) });
  says.classList.toggle("stop", !root.startsWith(typed) || typed.length < 8);
});
