// The desks' page: the decline register, held prizes, envelopes, and the slips that wait for a person.
import { io } from "socket.io-client";
import { ServerClock, clockText } from "../../web_display/static/server_clock.js";
import { fillEnvelopes } from "./desk_envelopes.js";
import { fillClock, fillCount, lost, showView } from "./desk_frame.js";
import { fillHeld } from "./desk_held.js";
import { fillRegister } from "./desk_register.js";
import { fillSlips } from "./desk_slips.js";
import { fillWho } from "./desk_who.js";
import { turnedAway } from "./signed_out.js";

const VERSION = 1;
const clock = new ServerClock();
let snapshot = null;

function show() {
  document.querySelector(".demo").hidden = !snapshot.demo;
  fillWho(snapshot);
  fillRegister(snapshot);
  fillHeld(snapshot);
  fillEnvelopes(snapshot);
  fillSlips(snapshot);
  fillCount("held", snapshot.held.filter(({ acts }) => acts.length).length);
  fillCount("slips", snapshot.slips.filter(({ acts }) => acts.includes("came_out")).length);
  tick();
}

function tick() {
  if (snapshot) fillClock(clock.now(), snapshot.utc_offset_minutes);
}

function cut(is) {
  lost(is, snapshot ? clockText(snapshot.server_now, snapshot.utc_offset_minutes, true) : "\u2013");
}

function listen() {
  const socket = io("/desk", {
    transports: ["websocket", "polling"],
    tryAllTransports: true,
    reconnectionDelay: 250,
    reconnectionDelayMax: 1000,
    timeout: 4000,
  });
  socket.on("connect", () => {
    clock.restart();
    cut(false);
  });
  socket.on("connect_error", (why) => {
    cut(true);
    if (turnedAway(why)) return;
    if (!socket.active) setTimeout(() => socket.connect(), 2000);
  });
  socket.on("disconnect", (reason) => {
    cut(true);
    if (reason === "io server disconnect") setTimeout(() => socket.connect(), 1000);
  });
  // A newer server's page is fetched when nobody is typing: a reload would lose it.
  socket.on("snapshot", (message) => {
    if (message.version !== VERSION) return setTimeout(() => document.querySelector(":focus") ?? location.reload(), 2000);
    clock.heard(message.server_now);
    snapshot = message;
    show();
  });
  addEventListener("offline", () => cut(true));
  addEventListener("online", () => cut(!socket.connected));
}

showView();
setInterval(tick, 200);
listen();
