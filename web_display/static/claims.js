// The floor screen while clocks run: a card for each announcement, nobody left off, oldest first.
import { fitLine } from "./fit.js";
import { fillName } from "./name.js";
import { makeRing, setRing } from "./ring.js";
import { secondsLeft } from "./server_clock.js";
import { el, keyed, say, setText } from "./words.js";

const LAST = 15;
const UNHEARD_MS = 1500; // after the deadline without word from the server, the page says what its own clock says
const DROP_MS = 5500;

const list = document.querySelector(".claims");
const go = document.querySelector(".go");

// The claims to show now: those announced, and for a moment those whose time is up.
export function standing(snapshot, moments, now) {
  const ended = moments.ended(now);
  const gone = new Set(ended.map((claim) => claim.id));
  const running = snapshot.claims.filter((claim) => !gone.has(claim.id) && now < claim.deadline_at + DROP_MS);
  return [...ended.map((claim) => ({ ...claim, over: true })), ...running];
}

export function isOver(claim, now) {
  return Boolean(claim.over) || now >= claim.deadline_at + UNHEARD_MS;
}

export function fillClaims(claims, portrait) {
  const many = claims.length > 2;
  const places = new Set(claims.filter((claim) => claim.place).map((claim) => claim.place));
  const shared = many && places.size === 1;
  const columns = claims.length > 4 && !portrait ? 2 : 1;
  list.style.setProperty("--columns", String(columns));
  list.style.setProperty("--rows", String(Math.ceil(claims.length / columns)));
  list.classList.toggle("is-many", many);
  list.classList.toggle("is-shared", shared);
  go.hidden = !shared;
  if (shared) setText(go, say("come", { place: [...places][0] }));
  keyed(list, claims, (claim) => claim.id, makeCard, fillCard);
}

function makeCard() {
  const inner = el("div", "inner", makeRing(), el("p", "name"), el("p", "place"), el("p", "twins"));
  return el("article", "claim", inner);
}

function fillCard(card, claim) {
  fillName(card.querySelector(".name"), claim.name, claim.collision);
  setText(card.querySelector(".twins"), claim.collision ? say("check_digits") : "");
  card.classList.toggle("has-twin", Boolean(claim.collision));
}

// What changes by the second, on cards and on the small clocks beside a winner.
export function tickClaims(claims, now) {
  claims.forEach((claim, n) => tickCard(list.children[n], claim, now));
}

function tickCard(card, claim, now) {
  if (!card) return;
  const { left, total, over, last } = clock(claim, now);
  setRing(card.querySelector(".ring"), left, total, over);
  card.classList.toggle("last", last);
  card.classList.toggle("over", over);
  const words = over ? "" : say(last ? "come_now" : "come", { place: claim.place });
  setText(card.querySelector(".place"), words);
}

function clock(claim, now) {
  const over = isOver(claim, now);
  const total = over ? 90 : Math.max(1, Math.round((claim.deadline_at - claim.announced_at) / 1000));
  const left = over ? 0 : Math.min(total, secondsLeft(claim.deadline_at, now));
  return { left, total, over, last: !over && left <= LAST };
}

// The other running clocks beside a winner: a winner never covers somebody's seconds.
export function fillMinis(box, claims) {
  box.style.setProperty("--n", String(claims.length));
  box.classList.toggle("is-many", claims.length > 2);
  keyed(
    box,
    claims,
    (claim) => claim.id,
    () => el("div", "mini", makeRing(), el("div", "", el("p", "name"), el("p", "place"))),
    (node, claim) => fillName(node.querySelector(".name"), claim.name, claim.collision),
  );
}

export function tickMinis(box, claims, now) {
  claims.forEach((claim, n) => {
    const node = box.children[n];
    const { left, total, over, last } = clock(claim, now);
    setRing(node.querySelector(".ring"), left, total, over);
    setText(node.querySelector(".place"), over ? "" : say(last ? "come_now" : "come", { place: claim.place }));
  });
}

export function fitClaims() {
  for (const name of list.querySelectorAll(".name, .twins")) fitLine(name);
  if (!go.hidden) fitLine(go);
}
