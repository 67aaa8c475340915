// The stage: whom to announce, and a row for each running clock. The server's time decides; late is shown as late.
import { mark } from "../../web_display/static/marks.js";
import { clockText } from "../../web_display/static/server_clock.js";
import { el, say, setText } from "../../web_display/static/words.js";
import { PressBox } from "./press_box.js";
import { Link } from "./press_link.js";
import { keepPage } from "./press_offline.js";
import { fillLost, fillToast, fillUnsent } from "./press_words.js";
import { me } from "./signed_words.js";
import { Calls } from "./stage_calls.js";
import { Clocks } from "./stage_clocks.js";
import { Reviews } from "./stage_reviews.js";

const BASE = "/stage";
const HEARD_EVERY_MS = 2000;
const LATE_AFTER_MS = 400;
const find = (name) => document.querySelector(name);

class Stage {
  link = new Link(BASE, () => this.heard());
  box = new PressBox(BASE, { now: () => this.link.now(), changed: () => this.changed(), answered: (...said) => this.#answered(...said) });
  #calls = new Calls(this);
  #clocks = new Clocks(this);
  #reviews = new Reviews(this);
  #settling = new Map();

  heard() {
    const { snapshot } = this.link;
    if (snapshot) for (const [key, at] of this.#settling) if (snapshot.server_now >= at) this.#settling.delete(key);
    if (this.link.socket?.connected) this.box.hurry();
    this.changed();
  }

  changed() {
    const { snapshot } = this.link;
    fillLost(find(".lost"), this.link, this.box);
    fillUnsent(find(".unsent"), this.link, this.box);
    fillToast(find(".toast"), this.link, this.box);
    const link = find(".bar .link");
    const state = this.link.lost ? "lost" : "live";
    if (link.dataset.state !== state) {
      link.dataset.state = state;
      link.replaceChildren(mark(this.link.lost ? "send" : "won"), say(this.link.lost ? "not_connected" : "connected"));
    }
    if (!snapshot) return;
    find(".demo").hidden = !snapshot.demo;
    find(".suspended").hidden = !snapshot.suspended;
    setText(find(".bar .place"), snapshot.place);
    this.#calls.show(snapshot.calls);
    this.#clocks.show(snapshot.clocks, snapshot.late);
    this.#reviews.show(snapshot.reviews);
    const rows = snapshot.reviews.length + find(".clocks").children.length;
    find(".no-clocks").hidden = rows > 0;
    find(".run").classList.toggle("many", rows > 3);
    document.title = `${snapshot.calls.length ? `(${snapshot.calls.length}) ` : ""}${say("title")}`;
    this.tick();
  }

  tick() {
    const { snapshot } = this.link;
    fillToast(find(".toast"), this.link, this.box);
    if (!snapshot) return;
    setText(find(".bar .now"), clockText(this.link.now(), snapshot.utc_offset_minutes, true));
    this.#calls.tick();
    this.#clocks.tick();
  }

  press(verb, claim, name) {
    if (this.pending(claim.key)) return;
    const label = say("press_label", { verb: say(verb), position: name });
    this.box.press(label, claim.key, { verb, draw: claim.draw, ordinal: claim.ordinal });
    setTimeout(() => this.changed(), LATE_AFTER_MS + 50);
  }

  // The press of a claim that is not settled: {label, pressedAt, late}, or null.
  pending(key) {
    const press = this.box.waitingFor(key);
    if (press) return { ...press, late: this.box.stuck || this.link.lost || this.link.now() - press.pressedAt > LATE_AFTER_MS };
    return this.#settling.has(key) ? { label: "", pressedAt: 0, late: false } : null;
  }

  #answered({ key }, answer) {
    if (Number.isFinite(answer.late_ms)) this.#clocks.cameLate(key, answer.late_ms);
    if (!answer.ok || answer.at <= this.link.heardAt) return;
    this.#settling.set(key, answer.at);
    setTimeout(() => this.#catchUp(key), 800);
  }

  async #catchUp(key) {
    if (!this.#settling.has(key)) return;
    await this.link.refresh();
    this.#settling.delete(key);
    this.changed();
  }

  // The server takes a stage for staffed while it hears this: only of a page that is seen, painted and up to date.
  breathe() {
    const lives = () => document.visibilityState === "visible" && this.link.live;
    if (lives()) requestAnimationFrame(() => lives() && this.link.socket.volatile.emit("heard"));
  }
}

// The announcer's tablet does not go dark by itself, where it lets a page ask for that.
function stayAwake() {
  if (document.visibilityState === "visible") navigator.wakeLock?.request("screen").catch(() => {});
}

const stage = new Stage();
stage.link.start();
stage.changed();
setInterval(() => stage.tick(), 200);
setInterval(() => stage.breathe(), HEARD_EVERY_MS);
document.addEventListener("visibilitychange", stayAwake);
stayAwake();
keepPage(BASE, document.body.dataset.assets);
