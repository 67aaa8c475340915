// The witness's page: which draw, where it is, and whole messages from the server.
import { io } from "socket.io-client";
import { mark } from "../../web_display/static/marks.js";
import { ServerClock, clockText } from "../../web_display/static/server_clock.js";
import { el, keyed, say, setText } from "../../web_display/static/words.js";
import { fillCertify } from "./witness_certify.js";
import { fillDice, fillGiven } from "./witness_dice.js";
import { fillPromise } from "./witness_promise.js";
import { fillSelections } from "./witness_selections.js";
import { turnedAway } from "./signed_out.js";
import { post, refusedIn } from "./witness_send.js";

const VERSION = 1;
const find = (name) => document.querySelector(name);
const me = JSON.parse(document.body.dataset.me || "{}");
const may = me.role === "witness";
const clock = new ServerClock();
let snapshot = null;
let heardAt = 0;
let chosen = "";

const shown = () => snapshot.draws.find(({ id }) => id === chosen) ?? snapshot.draws[0] ?? null;

function show() {
  const draw = shown();
  const offset = snapshot.utc_offset_minutes;
  find(".state .demo").hidden = !snapshot.demo;
  find(".look").hidden = may;
  find(".cols").hidden = !draw;
  setText(find("#state-title"), draw ? `${draw.title}, ${draw.day_text}` : say("title"));
  setText(find(".is"), draw ? draw.state : snapshot.none);
  find(".watch").hidden = !draw || !may || draw.watched || draw.closed;
  find(".watched").hidden = !draw?.watched || draw.closed || draw.certify.done;
  fillWhich(draw);
  fillDice(draw, may);
  fillCertify(draw, may, snapshot.professions);
  if (!draw) return;
  for (const source of draw.sources) source.given_text = source.given_at && clockText(source.given_at, offset, true);
  fillPromise(draw, offset);
  fillGiven(draw);
  fillSelections(draw);
}

function fillWhich(draw) {
  const place = find(".which");
  place.hidden = snapshot.draws.length < 2;
  keyed(place, place.hidden ? [] : snapshot.draws, ({ id }) => id, makeWhich, (button, { id, title, day_text: day }) => {
    setText(button, `${title}, ${day}`);
    button.setAttribute("aria-pressed", String(id === draw.id));
  });
}

function makeWhich({ id }) {
  const button = el("button", "btn");
  button.type = "button";
  button.addEventListener("click", () => {
    chosen = id;
    show();
  });
  return button;
}

async function watch() {
  const answer = await post("watch", { draw: shown().id });
  setText(find(".watch p"), answer.ok ? say("watch_what") : answer.sentence);
  if (!answer.ok) return;
  snapshot.draws.find(({ id }) => id === shown().id).watched = true; // no entry of the log tells of it
  show();
}

function tick() {
  if (snapshot) setText(find(".state .now"), clockText(clock.now(), snapshot.utc_offset_minutes, true));
}

function lost(is) {
  const line = find(".offline");
  line.hidden = !is;
  if (!is) return;
  const time = snapshot ? clockText(heardAt, snapshot.utc_offset_minutes, true) : "\u2013";
  line.replaceChildren(mark("send"), say("reconnecting", { time }));
}

function listen() {
  const socket = io("/witness", { transports: ["websocket", "polling"], tryAllTransports: true, reconnectionDelay: 250, reconnectionDelayMax: 1000, timeout: 4000 });
  socket.on("connect", () => {
    clock.restart();
    lost(false);
  });
  socket.on("connect_error", (fault) => {
    if (turnedAway(fault)) return;
    lost(true);
    if (!socket.active) setTimeout(() => socket.connect(), 2000);
  });
  socket.on("disconnect", (reason) => {
    lost(true);
    if (reason === "io server disconnect") setTimeout(() => socket.connect(), 1000);
  });
  socket.on("snapshot", (message) => {
    if (message.version !== VERSION) return setTimeout(() => location.reload(), 2000);
    clock.heard(message.server_now);
    heardAt = message.server_now;
    snapshot = message;
    return show();
  });
  addEventListener("offline", () => lost(true));
  addEventListener("online", () => lost(!socket.connected));
}

find(".watch .btn").addEventListener("click", watch);
refusedIn(find(".act.certified"), "");
setInterval(tick, 200);
listen();
