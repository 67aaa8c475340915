// The floor screen while clocks run: a card for each announcement, nobody left off, oldest first.
import { fitLine, fitName } from "./fit.js";
import { fillName } from "./name.js";
import { makeRing, setRing } from "./ring.js";
import { secondsLeft } from "./server_clock.js";
import { el, keyed, say, setText } from "./words.js";

const LAST = 15;
const UNHEARD_MS = 1500; // after the deadline without word from the server, the page says what its own clock says
const DROP_MS = 5500;
const MANY_WRAP_UNDER = 0.52; // beside each other, names stand on one line for as long as they can be read

const list = document.querySelector(".claims");
const go = document.querySelector(".top .go");

// The claims to show now: those announced, and for a moment those whose time is up.
export function standing(snapshot, moments, now) {
  const ended = moments.ended(now);
  const gone = new Set(ended.map((claim) => claim.id));
  const running = snapshot.claims.filter((claim) => !gone.has(claim.id) && now < claim.deadline_at + DROP_MS);
  return [...ended.map((claim) => ({ ...claim, over: true })), ...running];
}

// Which of its three looks a claim has; the cards are laid out again when it changes.
export function look(claim, now) {
  if (claim.over || now >= claim.deadline_at + UNHEARD_MS) return "over";
  return secondsLeft(claim.deadline_at, now) <= LAST ? "last" : "first";
}

// The one place three and more claims go to, said once for all; "" when there are fewer or several places.
function sharedPlace(claims) {
  const places = new Set(claims.filter((claim) => claim.place).map((claim) => claim.place));
  return claims.length > 2 && places.size === 1 ? [...places][0] : "";
}

function sayPlace(line, place) {
  line.hidden = !place;
  if (place) setText(line, say("come", { place }));
}

export function fillClaims(claims, portrait) {
  const many = claims.length > 2;
  const shared = sharedPlace(claims);
  const columns = claims.length > 4 && !portrait ? 2 : 1;
  list.style.setProperty("--columns", String(columns));
  list.style.setProperty("--rows", String(Math.ceil(claims.length / columns)));
  list.classList.toggle("is-many", many);
  list.classList.toggle("is-odd", columns === 2 && claims.length % 2 === 1);
  list.classList.toggle("is-shared", Boolean(shared));
  sayPlace(go, shared);
  keyed(list, claims, (claim) => claim.id, makeCard, fillCard);
}

function makeCard() {
  const words = el("div", "words", el("p", "name"), el("p", "place"), el("p", "twins"));
  return el("article", "claim", el("div", "inner", makeRing(), words));
}

function fillCard(card, claim) {
  fillName(card.querySelector(".name"), claim.name, claim.collision);
  // Without digits on show nothing here tells two of one name apart: the crew does, by their cards.
  const twins = claim.name.includes("\u00b7") ? "check_digits" : "same_name";
  setText(card.querySelector(".twins"), claim.collision ? say(twins) : "");
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
  const is = look(claim, now);
  if (is === "over") return { left: 0, total: 90, over: true, last: false };
  const total = Math.max(1, Math.round((claim.deadline_at - claim.announced_at) / 1000));
  return { left: Math.min(total, secondsLeft(claim.deadline_at, now)), total, over: false, last: is === "last" };
}

// The other running clocks beside a winner: a winner never covers somebody's seconds.
export function fillMinis(box, claims, portrait) {
  const n = claims.length;
  const columns = portrait ? Math.min(n, 2) : n <= 2 ? n : n <= 6 ? 3 : 4;
  box.style.setProperty("--columns", String(columns || 1));
  box.classList.toggle("is-one", n === 1);
  box.classList.toggle("is-many", n > 2);
  box.classList.toggle("is-shared", Boolean(sharedPlace(claims)));
  sayPlace(box.parentElement.querySelector(".go"), sharedPlace(claims));
  keyed(
    box,
    claims,
    (claim) => claim.id,
    () => el("div", "mini", makeRing(), el("div", "words", el("p", "name"), el("p", "place"))),
    (node, claim) => fillName(node.querySelector(".name"), claim.name, claim.collision),
  );
}

export function tickMinis(box, claims, now) {
  claims.forEach((claim, n) => {
    const node = box.children[n];
    const { left, total, over, last } = clock(claim, now);
    setRing(node.querySelector(".ring"), left, total, over);
    node.classList.toggle("last", last);
    setText(node.querySelector(".place"), over ? "" : say(last ? "come_now" : "come", { place: claim.place }));
  });
}

export function fitClaims() {
  if (!go.hidden) fitLine(go); // first: the cards have what it leaves
  const wrapsUnder = list.children.length > 2 ? MANY_WRAP_UNDER : undefined;
  for (const card of list.children) {
    fitLine(card.querySelector(".twins"));
    fitName(card.querySelector(".name"), card.firstElementChild, wrapsUnder);
  }
}

export function fitMinis(box) {
  fitLine(box.parentElement.querySelector(".go"));
  for (const line of box.querySelectorAll(".name, .place")) fitLine(line);
}
