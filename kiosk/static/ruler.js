// A session in equal parts against what has been. A mark stands in the middle of its part: nothing tells a moment.
import { mark } from "../../web_display/static/marks.js";
import { el, keyed, say, setText } from "../../web_display/static/words.js";

const MARKS = { confirmed: "won", held: "held", announced: "run", with_crew: "wait", ended: "gone" };
const find = (name) => document.querySelector(`.session ${name}`);

export function fillSession({ session, counts, may_act: mayAct }) {
  const running = session?.state === "running" || session?.state === "open";
  find('[data-act="suspend"]').hidden = !running || !mayAct;
  find('[data-act="resume"]').hidden = session?.state !== "suspended" || !mayAct;
  find('[data-act="end"]').hidden = !(running || session?.state === "suspended") || !mayAct;
  document.querySelector(".session").hidden = !session;
  if (!session) return;
  setText(find("#session"), heading(session));
  keyed(find(".ruler"), session.parts, (part) => part.n, makePart, fillPart);
  fillScale(session);
  fillKey(counts);
}

function heading({ title, from_text: from, to_text: to, parts }) {
  return say("parts", { title, from, to, n: parts.length });
}

function makePart(part) {
  return el("li", "", el("span", "stack"), el("span", "n", String(part.n)), el("span", "unseen"));
}

function fillPart(node, part) {
  const kinds = part.marks.map((each) => each.kind).join();
  if (node.dataset.kinds !== `${part.state} ${kinds}`) {
    node.dataset.kinds = `${part.state} ${kinds}`;
    node.className = part.state;
    node.firstElementChild.replaceChildren(...part.marks.map((each) => mark(MARKS[each.kind])));
  }
  const said = [say("part", { n: part.n, from: part.from_text }), say(`part_${part.state}`)];
  const words = `${said.join(", ")}. ${part.marks.map((each) => each.sentence).join("; ")}`.trim();
  node.title = words;
  setText(node.lastElementChild, words);
}

// Five times along the ruler, a quarter of the session apart; a quarter that is no whole minute bears no time, because
// a rounded one would stand in the wrong place.
function fillScale({ from_text: from, to_text: to }) {
  const [first, end] = [minutes(from), minutes(to)];
  const long = (end - first + 1440) % 1440;
  const shares = [0, 0.25, 0.5, 0.75, 1].filter((share) => Number.isInteger(long * share));
  find(".scale").replaceChildren(
    ...shares.map((share) => {
      const node = el("span", "", clock(first + long * share));
      node.style.setProperty("--at", String(share));
      return node;
    }),
  );
}

function minutes(text) {
  const [hours, rest] = text.split(":").map(Number);
  return hours * 60 + rest;
}

function clock(at) {
  const [hours, rest] = [Math.floor(at / 60) % 24, at % 60];
  return [hours, rest].map((n) => String(n).padStart(2, "0")).join(":");
}

function fillKey(counts) {
  const rows = [...Object.entries(MARKS).map(([kind, shape]) => [kind, mark(shape)]), ["to_come", null]];
  keyed(find(".key"), rows, ([kind]) => kind, ([, shape]) => el("li", "", shape, el("b"), el("span")), (node, [kind]) => {
    setText(node.querySelector("b"), String(counts[kind]));
    setText(node.querySelector("span"), say(kind === "to_come" ? "parts_to_come" : kind));
  });
}
