// A crew's tablet: the queue, one claim at a time, what was pressed and what became of it. Whose floor it is, is given.
import { clockText } from "../../web_display/static/server_clock.js";
import { mark } from "../../web_display/static/marks.js";
import { el, say, setText } from "../../web_display/static/words.js";
import { Alert } from "./crew_alert.js";
import { ClaimView } from "./crew_claim.js";
import { calledOf, isFree, mayWork, money } from "./crew_claim_words.js";
import { handOver } from "./crew_hand_over.js";
import { Queue } from "./crew_queue.js";
import { FloorMap } from "./floor_map.js";
import { fillLost, fillToast, fillUnsent } from "./press_words.js";
import { me } from "./signed_words.js";

const MAY_CREW = ["crew", "manager"];
const LATE_AFTER_MS = 400; // until then a press is simply on its way
const LEAVES = ["not_there", "other_person", "mismatch", "release", "hand_over"];
const find = (name) => document.querySelector(name);

export class Tablet {
  link;
  box;
  map;
  #alert = new Alert(find(".bar .sound"));
  #queue = new Queue(this);
  #view = new ClaimView(this);
  #known = null; // selections heard of so far
  #settling = new Map(); // claims whose answer is newer than what is shown
  #end = null; // {key, kind, title, what, code}: what became of the claim that is open

  // `base`: the page's address. `Link` and `Box`: its line to the core, and where its presses go (`Link`, `PressBox`).
  constructor(base, { Link, Box }) {
    this.link = new Link(base, () => this.heard());
    this.box = new Box(base, { now: () => this.link.now(), changed: () => this.changed(), answered: (...said) => this.#answered(...said) });
    this.map = new FloorMap(base, () => this.changed());
    find(".bar .back").addEventListener("click", () => this.close());
    find(".news").addEventListener("click", () => this.close());
    addEventListener("hashchange", () => this.changed());
  }

  start() {
    this.link.start();
    this.changed();
    setInterval(() => this.tick(), 200);
  }

  get me() {
    return me.id ?? "";
  }

  get #open() {
    return decodeURIComponent(location.hash.slice(1));
  }

  money(cents) {
    return money(cents, this.link.snapshot.money_prefix);
  }

  // -- what is heard ---------------------------------------------------------------------------------------------

  heard() {
    const { snapshot } = this.link;
    if (snapshot) {
      for (const [key, at] of this.#settling) if (snapshot.server_now >= at) this.#settling.delete(key);
      this.#announceNew(snapshot.claims.filter(isFree));
      this.map.want(snapshot.floor);
      this.#noteEnd(snapshot);
    }
    if (this.link.socket?.connected) this.box.hurry();
    this.changed();
  }

  #announceNew(free) {
    const fresh = free.filter((claim) => this.#known && !this.#known.has(claim.key));
    this.#known = new Set([...(this.#known ?? []), ...free.map((claim) => claim.key)]);
    if (!fresh.length) return;
    setText(find(".heard"), fresh.map(({ position, where }) => say("new_selection", { position, where })).join(" "));
    this.#alert.ring();
  }

  // The claim that is open has ended without this tablet: say what became of it.
  #noteEnd({ claims, ended }) {
    const key = this.#open;
    if (!key || this.#end?.key === key || claims.some((claim) => claim.key === key)) return;
    const end = ended.find((one) => one.key === key);
    if (end) this.#end = { key, kind: "over", title: say("ended_title", { position: end.position }), what: end.sentence };
    else this.close();
  }

  // -- what is shown ---------------------------------------------------------------------------------------------

  changed() {
    const { snapshot } = this.link;
    fillLost(find(".lost"), this.link, this.box);
    fillUnsent(find(".unsent"), this.link, this.box);
    fillToast(find(".toast"), this.link, this.box);
    if (!snapshot) return;
    find(".demo").hidden = !snapshot.demo;
    find(".suspended").hidden = !snapshot.suspended;
    const claim = snapshot.claims.find((one) => one.key === this.#open) ?? null;
    const end = this.#end?.key === this.#open ? this.#end : this.#elsewhere(claim);
    const viewing = Boolean(claim || end) && this.#open !== "";
    document.body.classList.toggle("viewing", viewing);
    find(".queue").hidden = viewing;
    find(".claim-view").hidden = !viewing;
    if (viewing) this.#view.show(claim, end);
    else this.#view.hide();
    this.#queue.show(snapshot.claims);
    this.#fillNews(snapshot, viewing);
    const free = snapshot.claims.filter(isFree).length;
    document.title = `${free ? `(${free}) ` : ""}${say("title")}`;
  }

  // Handed over or released: it is open here, but somebody else's now.
  #elsewhere(claim) {
    if (!claim || !this.me || mayWork(claim, this.me) || this.pending(claim)) return null;
    const name = claim.taken_name || say("nobody");
    return { kind: "over", title: say("elsewhere_title", { position: claim.position }), what: say("elsewhere", { name }) };
  }

  // In a claim one still hears of what comes in: a line with the way to it.
  #fillNews({ claims }, viewing) {
    const line = find(".news");
    const free = viewing ? claims.filter(isFree) : [];
    const atStage = viewing ? claims.filter((claim) => claim.stage === "presented" && claim.key !== this.#open) : [];
    const said = [
      ...free.map((claim) => say("news_free", { position: claim.position, where: claim.where })),
      ...atStage.map((claim) => say("news_stage", { name: claim.guest ? calledOf(claim.guest) : claim.position })),
    ].join(" ");
    line.hidden = !said;
    if (line.dataset.says === said) return;
    line.dataset.says = said;
    line.replaceChildren(mark("late"), el("span", "", said));
  }

  tick() {
    const { snapshot } = this.link;
    fillToast(find(".toast"), this.link, this.box);
    if (!snapshot) return;
    setText(find(".bar .now"), clockText(this.link.now(), snapshot.utc_offset_minutes, true));
    if (find(".queue").hidden) this.#view.tick();
    else this.#queue.tick();
  }

  open(key) {
    this.#end = null;
    location.hash = encodeURIComponent(key);
    this.changed();
  }

  close() {
    this.#end = null;
    history.replaceState(null, "", location.pathname);
    this.changed();
    find("#queue").focus({ preventScroll: true });
  }

  // -- what is pressed -------------------------------------------------------------------------------------------

  press(verb, claim, more = {}) {
    if (this.pending(claim)) return;
    if (["found", "not_there", "other_person"].includes(verb) && claim.x !== null) this.map.stand({ x: claim.x, y: claim.y, zone: claim.zone });
    const label = say("press_label", { verb: say(verb), position: claim.position });
    this.box.press(label, claim.key, { verb, draw: claim.draw, ordinal: claim.ordinal, ...more });
    setTimeout(() => this.changed(), LATE_AFTER_MS + 50);
  }

  async act(name, claim) {
    if (name === "go") this.open(claim.key);
    else if (name === "hand_over") {
      const people = this.link.snapshot.staff.filter((person) => MAY_CREW.includes(person.role) && person.id !== this.me);
      const to = await handOver(claim, people);
      if (to) this.press("hand_over", claim, { to });
    } else this.press(name, claim);
  }

  // The press of a claim that is not settled: {label, pressedAt, late}, or null.
  pending(claim) {
    const press = this.box.waitingFor(claim.key);
    if (press) return { ...press, late: this.box.stuck || this.link.lost || this.link.now() - press.pressedAt > LATE_AFTER_MS };
    return this.#settling.has(claim.key) ? { label: "", pressedAt: 0, late: false } : null;
  }

  #answered({ key, body, label }, answer) {
    if (!answer.ok) return;
    if (answer.at > this.link.heardAt) {
      this.#settling.set(key, answer.at);
      setTimeout(() => this.#catchUp(key), 800);
    }
    const { verb } = body;
    const claim = this.link.snapshot?.claims.find((one) => one.key === key);
    if (verb === "take" && !this.#open) this.open(key);
    else if (this.#open === key && LEAVES.includes(verb)) this.close();
    else if (answer.code || ["pay", "refuse"].includes(verb)) this.#finish(key, claim, label, verb, answer);
  }

  #finish(key, claim, label, verb, { stage, code = "", sentence = "" }) {
    if (this.#open !== key) return;
    const position = claim?.position ?? "";
    if (stage === "confirmed") this.#end = { key, kind: "paid", title: say("paid_title"), what: say("paid", { position }) };
    else if (verb === "refuse" && stage === "refused") this.#end = { key, kind: "over", title: say("refused_title"), what: say("refused") };
    else this.#end = { key, kind: "stop", title: say("no_prize"), what: sentence || label, code };
  }

  // The answer has come but no message: ask for it, and in the end go by what is known.
  async #catchUp(key) {
    if (!this.#settling.has(key)) return;
    await this.link.refresh();
    this.#settling.delete(key);
    this.changed();
  }
}
