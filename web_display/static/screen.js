// A floor screen. It shows the last whole message it got and counts by itself; it decides nothing.
import { io } from "socket.io-client";
import { askTime } from "./ask_time.js";
import { countDown, fillCalm, fillWinners, fitCalm, fitWinners } from "./calm.js";
import { fillClaims, fillMinis, fitClaims, fitMinis, look, standing, tickClaims, tickMinis } from "./claims.js";
import { mark } from "./marks.js";
import { Moments } from "./moments.js";
import { ServerClock, clockText } from "./server_clock.js";
import { clearWinner, fillWinner, fitWinner } from "./winner.js";
import { say, setText } from "./words.js";

const VERSION = 1;
const TICK_MS = 100;

const main = document.querySelector(".screen");
const find = (name) => main.querySelector(name);
const minis = find(".minis");
const clock = new ServerClock();
const moments = new Moments(sessionStorage);
const upright = matchMedia("(orientation: portrait)");

let snapshot = null;
let said = ""; // the snapshot but for its time, to know whether anything has changed
let laidOut = "";
const called = new Set();

for (const sign of main.querySelectorAll(".offline")) sign.prepend(mark("send"));

function show() {
  if (!snapshot) return;
  const now = clock.now();
  const winner = moments.winner(now);
  const claims = standing(snapshot, moments, now);
  layOut(winner, claims, now);
  tick(winner, claims, now);
}

// Build what only a message, a moment's end or a turned screen changes.
function layOut(winner, claims, now) {
  const looks = claims.map((claim) => [claim.id, look(claim, now)]);
  const layout = JSON.stringify([said, winner?.id, winner?.at, looks, upright.matches]);
  if (layout === laidOut) return;
  laidOut = layout;
  const view = winner ? "won" : claims.length ? "claims" : "calm";
  main.dataset.view = view;
  for (const name of ["calm", "claims", "won"]) find(`section.${name}`).hidden = name !== view;
  fillFrame(view);
  if (view === "calm") {
    fillClaims([], upright.matches);
    fillCalm(snapshot);
  }
  if (view === "claims") fillClaims(claims, upright.matches);
  if (view === "won") fillMinis(minis, claims, upright.matches);
  announce(claims);
  tick(winner, claims, now);
  if (view === "calm") fitCalm();
  if (view === "claims") {
    fitWinners(find(".lately"));
    fitClaims();
  }
  if (view === "won") fitMinis(minis);
  // Last, because how much of the screen it has depends on the clocks beside it.
  if (view === "won") fillWinner(winner);
  else clearWinner();
}

function fillFrame(view) {
  const { property_name: property, promotion_title: promotion } = snapshot;
  find(".top").hidden = view === "won";
  setText(find(".whose"), view === "claims" ? promotion : property);
  find(".top .go").hidden = true;
  for (const sign of document.querySelectorAll(".demo")) sign.hidden = !snapshot.demo;
  const lately = find(".lately");
  lately.hidden = view !== "claims" || !snapshot.recent.length;
  fillWinners(lately, snapshot.recent);
}

function tick(winner, claims, now) {
  for (const node of main.querySelectorAll(".now")) setText(node, clockText(now, snapshot.utc_offset_minutes));
  if (winner) tickMinis(minis, claims, now);
  else if (claims.length) tickClaims(claims, now);
  else countDown(snapshot, now);
}

// Said once to a screen reader, in words.
function announce(claims) {
  for (const claim of claims) {
    const call = `${claim.id} ${claim.announced_at}`; // a guest may be announced again
    if (claim.over || called.has(call)) continue;
    called.add(call);
    setText(document.querySelector(".call"), say("call", { name: claim.name, place: claim.place }));
  }
}

function again() {
  laidOut = "";
  show();
  fitWinner();
}

function listen() {
  const socket = io("/screens", {
    auth: { screen: document.body.dataset.screen },
    transports: ["websocket"],
    reconnectionDelay: 250,
    reconnectionDelayMax: 1000,
    timeout: 4000,
  });
  const asked = askTime(socket, clock);
  const lost = (is) => {
    for (const sign of document.querySelectorAll(".offline")) sign.hidden = !is;
  };
  socket.on("connect_error", () => {
    lost(true);
    if (!socket.active) setTimeout(() => socket.connect(), 2000); // refused by the server: a restart may mend it
  });
  socket.on("disconnect", (reason) => {
    lost(true);
    if (reason === "io server disconnect") setTimeout(() => socket.connect(), 1000);
  });
  // The screens' server is there, but the core behind it is not.
  socket.on("away", () => lost(true));
  socket.on("snapshot", (message) => {
    if (message.version !== VERSION) return setTimeout(() => location.reload(), 5000);
    lost(false);
    asked(message.server_now);
    clock.heard(message.server_now);
    snapshot = message;
    said = JSON.stringify({ ...message, server_now: 0 });
    document.title = `${message.promotion_title}: ${document.body.dataset.screen}`;
    moments.take(message, clock.now());
    show();
  });
  // A cable that is pulled is noticed at once, not at the next ping.
  addEventListener("offline", () => lost(true));
  addEventListener("online", () => !socket.connected && socket.disconnect().connect());
}

listen();
setInterval(show, TICK_MS);
addEventListener("resize", again);
upright.addEventListener("change", again);
document.fonts.ready.then(again);
document.fonts.addEventListener("loadingdone", again);
