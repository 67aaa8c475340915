// The console's first page: whether it can select, and why not; the session so far; what runs; what the floor says.
import { io } from "socket.io-client";
import { mark } from "../../web_display/static/marks.js";
import { ServerClock, clockText } from "../../web_display/static/server_clock.js";
import { el, keyed, say, setText } from "../../web_display/static/words.js";
import { fillEnded } from "./console_ended.js";
import { fillClaims, tickClaims } from "./console_claims.js";
import { plotPool } from "./pool_plot.js";
import { fillSession } from "./ruler.js";
import { turnedAway } from "./signed_out.js";
import { me } from "./signed_words.js";
import { askTwoPeople } from "./two_people.js";

const VERSION = 1;
const find = (name) => document.querySelector(name);
const { actions } = document.body.dataset;
const clock = new ServerClock();
let snapshot = null;
let heardAt = 0;

const FEED_MARKS = { up: "plain", excluded: "pause", unsure: "pause" };
const LIST_MARKS = { fine: "plain", ageing: "pause" };
const houseMark = ({ state }) => ({ fine: "plain", warn: "pause" })[state] ?? "late";

function show() {
  setText(find("#why"), snapshot.headline);
  find(".why").classList.toggle("is-ready", snapshot.ready);
  find(".demo").hidden = !snapshot.demo;
  fillReasons();
  fillSession(snapshot);
  fillClaims(snapshot);
  fillEnded(snapshot);
  fillPool();
  find("section.crew").hidden = !snapshot.crew.length;
  fillLines(".crew-lines", snapshot.crew, (line) => line.id, houseMark);
  fillLines(".feeds", snapshot.feeds, (feed) => feed.id, (feed) => FEED_MARKS[feed.state] ?? "late");
  fillLines(".lists", snapshot.lists, (list) => list.kind, (list) => LIST_MARKS[list.state] ?? "late");
  fillLines(".printers", snapshot.printers, (line) => line.id, houseMark);
  fillLines(".desk-lines", snapshot.desk, (line) => line.id, houseMark);
  fillLog();
  fillDraws();
  tick();
}

function fillReasons() {
  keyed(
    find(".reasons"),
    snapshot.reasons,
    (reason) => `${reason.code} ${reason.action?.feed ?? reason.sentence}`,
    makeReason,
    fillReason,
  );
}

function makeReason() {
  const words = el("div", "", el("p", "sentence"), el("p", "todo"));
  const act = el("button", "btn");
  act.type = "button";
  act.addEventListener("click", () => ACTS[act.dataset.kind](act.dataset.about));
  return el("li", "reason", el("span", "sign"), words, act);
}

function fillReason(card, { sentence, todo, blocking, action, code }) {
  card.classList.toggle("waits", !blocking);
  const sign = card.querySelector(".sign");
  sign.replaceChildren(mark(blocking ? "late" : "pause"), el("span", "unseen", say(blocking ? "blocking" : "warning")));
  setText(card.querySelector(".sentence"), sentence);
  card.querySelector(".todo").replaceChildren(todo, " ", el("small", "", code));
  const act = card.querySelector(".btn");
  act.hidden = !action || !snapshot.may_act;
  if (act.hidden) return;
  setText(act, say(action.kind));
  act.dataset.kind = action.kind;
  act.dataset.about = action.feed || action.draw;
}

const ACTS = { exclude_feed: exclude, open_session: openSession };

// What one manager decides: the clock is right although nothing vouches for it.
function openSession(draw) {
  askTwoPeople({
    title: say("open_session_title"),
    what: say("open_session_what"),
    verb: say("open_session"),
    path: `${actions}/session/open`,
    more: () => ({ draw }),
    alone: true,
  });
}

function exclude(feed) {
  askTwoPeople({
    title: say("exclude_feed_title", { feed }),
    what: say("exclude_feed_what"),
    verb: say("exclude_feed"),
    path: `${actions}/feeds/${encodeURIComponent(feed)}/exclude`,
  });
}

function decideSession(act) {
  askTwoPeople({
    title: say(`${act}_title`, { title: snapshot.session.title }),
    what: say(`${act}_what`),
    verb: say(act),
    path: `${actions}/session/${act}`,
  });
}

function fillPool() {
  const { pool, pool_now: now } = snapshot;
  find(".pool").hidden = !snapshot.session && !pool.length;
  const last = pool.at(-1);
  const from = pool[0]?.at_text ?? "";
  setText(find(".pool .says"), last ? say("pool_says", { from, n: last.size, time: last.at_text }) : say("pool_none"));
  find(".pool .would").hidden = !now;
  if (now) setText(find(".pool .would"), say("pool_now", { n: now.size, time: now.at_text }));
  plotPool(find(".plot"), pool);
}

function fillLines(place, lines, key, kind) {
  keyed(find(place), lines, key, () => el("li", "", el("span", "sign"), el("p")), (node, line) => {
    const shape = kind(line);
    node.className = shape === "late" ? "bad" : shape === "pause" ? "warn" : "";
    const said = `${shape} ${line.sentence}`;
    if (node.dataset.says === said) return; // a link that somebody has in focus stays
    node.dataset.says = said;
    node.firstElementChild.replaceChildren(mark(shape));
    node.lastElementChild.replaceChildren(line.href ? linkTo(line) : line.sentence);
  });
}

function linkTo({ href, sentence }) {
  const link = el("a", "", sentence);
  link.href = href;
  return link;
}

function fillLog() {
  const { log } = snapshot;
  setText(find(".entry"), log ? say("log_entry", { seq: log.seq, hash: log.hash_short }) : say("none"));
  setText(find(".checkpoint"), log?.checkpoint_text ?? "");
}

function fillDraws() {
  find(".no-draws").hidden = snapshot.draws.length > 0;
  keyed(find(".draws"), snapshot.draws, (draw) => draw.id, () => el("li", "", el("span", "sign"), el("div")), (node, draw) => {
    node.firstElementChild.replaceChildren(mark("plain"));
    const links = Object.entries(draw.records).map(([name, href]) => {
      const link = el("a", "", name);
      link.href = href;
      return link;
    });
    node.lastElementChild.replaceChildren(el("p", "", el("b", "", draw.title), " ", draw.state), el("p", "files", ...links));
  });
}

// What the page counts by itself.
function tick() {
  if (!snapshot) return;
  const now = clock.now();
  setText(find(".bar .now"), clockText(now, snapshot.utc_offset_minutes, true));
  tickClaims(snapshot.claims, now);
}

function lost(is) {
  const line = find(".offline");
  line.hidden = !is;
  if (!is) return;
  const time = snapshot ? clockText(heardAt, snapshot.utc_offset_minutes, true) : "\u2013";
  line.replaceChildren(mark("send"), say("reconnecting", { time }));
}

function listen() {
  const socket = io("/console", {
    transports: ["websocket", "polling"],
    tryAllTransports: true,
    reconnectionDelay: 250,
    reconnectionDelayMax: 1000,
    timeout: 4000,
  });
  socket.on("connect", () => {
    clock.restart();
    lost(false);
  });
  socket.on("connect_error", (why) => {
    lost(true);
    if (turnedAway(why)) return;
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
    snapshot = { ...message, may_act: message.may_act && me.role !== "auditor" };
    show();
  });
  addEventListener("offline", () => lost(true));
  addEventListener("online", () => lost(!socket.connected));
}

for (const act of ["suspend", "resume", "end"]) {
  find(`[data-act="${act}"]`).addEventListener("click", () => decideSession(act));
}
addEventListener("resize", () => snapshot && plotPool(find(".plot"), snapshot.pool));
setInterval(tick, 200);
listen();
