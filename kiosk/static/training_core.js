// The training's floor: selections come one after the other, the stage calls, guests come or do not. Nothing leaves the page.
// A press that is not what was to be seen is answered with why; it is counted, and can be pressed again.
import { FLOOR, LESSONS, TRAY } from "./training_lessons.js";

const FIRST_MS = 1500;
const NEXT_MS = 2500;
const CALLED_MS = 3000; // until the announcer has read it out
const COMES_MS = 8000;
const WINDOW_MS = 20_000; // ninety seconds are long when one waits alone
const DRAW = "training";

export class TrainingCore {
  #me;
  #say;
  #now;
  #changed;
  #money;
  #claims = [];
  #ended = [];
  #came = 0; // lessons that have begun
  #nextAt;
  tries = new Map(LESSONS.map(({ id }) => [id, 0])); // wrong presses of each lesson
  slip = null; // of the last guest who was paid, until the next selection is taken: [[what, value]]
  waits = []; // ms from a selection to its take

  // `me` {id, name, role}; `changed()` after each change that no press made.
  constructor({ me, say, now, money, changed }) {
    this.#me = me;
    this.#say = say;
    this.#now = now;
    this.#money = money;
    this.#changed = changed;
    this.#nextAt = now() + FIRST_MS;
  }

  get over() {
    return this.#came === LESSONS.length && !this.#claims.length;
  }

  get number() {
    return Math.max(1, this.#came);
  }

  lessonOf(claim) {
    return LESSONS[claim.ordinal];
  }

  // The whole message, as a core would send it.
  snapshot() {
    const now = this.#now();
    return {
      version: 1,
      server_now: now,
      utc_offset_minutes: -new Date(now).getTimezoneOffset(),
      property_name: this.#say("training"),
      promotion_title: this.#say("promotion"),
      day_text: this.#say("training"),
      money_prefix: "R\u00a0",
      staff: [{ id: "training", name: this.#say("colleague"), role: "crew" }],
      claims: this.#claims.map(({ comesAt, calledAt, ...claim }) => structuredClone(claim)),
      ended: [...this.#ended],
      tray: [...TRAY],
      floor: FLOOR.version,
      suspended: false,
      demo: false,
    };
  }

  // What time brings: the next selection, the stage's call, a guest, the end of a clock.
  tick() {
    const now = this.#now();
    let changed = false;
    if (this.#nextAt !== null && now >= this.#nextAt && this.#came < LESSONS.length) {
      this.#claims.push(this.#selected(LESSONS[this.#came], now));
      this.#came += 1;
      this.#nextAt = null;
      changed = true;
    }
    for (const claim of [...this.#claims]) changed = this.#goOn(claim, now) || changed;
    if (changed) this.#changed();
  }

  #selected(lesson, now) {
    const { position, bank, x, y } = lesson;
    return {
      key: `training/c${this.#came}`, draw: DRAW, ordinal: this.#came, award: this.#came + 1, stage: "selected",
      position, where: this.#say("where", { bank }), opened_at: now, zone: "TRAINING", bank, x, y,
      taken_by: "", taken_name: "", taken_at: null, guest: null, arrived_at: null, announced_at: null, deadline_at: null,
      window_ms: WINDOW_MS, presented_at: null, review: "", checked_at: null, pocket: "",
      place: this.#say("place"), low: 50_000, high: 100_000, other_loses: true,
    };
  }

  #goOn(claim, now) {
    if (claim.stage === "not_there" && now >= claim.calledAt) {
      Object.assign(claim, { stage: "announced", announced_at: now, deadline_at: now + WINDOW_MS });
      if (this.lessonOf(claim).comes) claim.comesAt = now + COMES_MS;
    } else if (claim.stage === "announced" && claim.comesAt && now >= claim.comesAt) {
      Object.assign(claim, { stage: "presented", presented_at: now });
    } else if (claim.stage === "announced" && now > claim.deadline_at) this.#end(claim, "expired");
    else return false;
    return true;
  }

  // -- presses ---------------------------------------------------------------------------------------------------

  // The answer to a press: {ok, at, stage, code, sentence}, as the core gives it.
  press({ verb, ordinal, ...said }) {
    const claim = this.#claims.find((one) => one.ordinal === ordinal);
    const refusal = claim && this.#refusal(claim, verb, said);
    if (refusal) return { ok: false, code: this.#say("training"), sentence: refusal };
    return claim ? { ok: true, at: this.#now(), ...this.#do(claim, verb, said) } : { ok: true, at: this.#now(), stage: "" };
  }

  #refusal(claim, verb, said) {
    if (verb === "hand_over") return this.#say("again_alone");
    const lesson = this.lessonOf(claim);
    const key = this.#wrong(claim, lesson, verb, said);
    if (!key) return "";
    this.tries.set(lesson.id, this.tries.get(lesson.id) + 1);
    return this.#say(key, { pocket: lesson.pocket, amount: this.#money(lesson.amount ?? 0) });
  }

  #wrong(claim, lesson, verb, said) {
    if (claim.stage === "taken" && ["found", "not_there", "other_person"].includes(verb)) return verb === lesson.answer ? "" : `again_${lesson.id}`;
    if (verb === "mismatch") return said.reason === lesson.check ? "" : lesson.check === "fits" ? "again_fits" : "again_paper_check";
    if (verb === "check" && lesson.check !== "fits") return "again_paper_check";
    if (verb === "check" && said.identification !== lesson.identification) return "again_identification";
    if (verb === "envelope" && said.pocket !== lesson.pocket) return "again_pocket";
    if (verb === "pay" && said.amount !== lesson.amount) return "again_amount";
    return verb === "refuse" ? "again_refuse" : "";
  }

  #do(claim, verb, said) {
    const now = this.#now();
    const lesson = this.lessonOf(claim);
    const moves = {
      take: () => this.#take(claim, lesson, now),
      release: () => Object.assign(claim, { taken_by: "", taken_name: "", stage: claim.stage === "taken" ? "selected" : claim.stage }),
      found: () => Object.assign(claim, { stage: "found", arrived_at: now }),
      not_there: () => this.#notThere(claim, now),
      other_person: () => this.#end(claim, "not_rightful_card"),
      check: () => Object.assign(claim, { stage: "checked", checked_at: now }),
      mismatch: () => this.#end(claim, "not_rightful_card"),
      envelope: () => Object.assign(claim, { stage: "envelope", pocket: said.pocket }),
      pay: () => this.#pay(claim, said.amount),
    };
    moves[verb]?.();
    const ended = claim.stage === "not_rightful_card" && { code: this.#say("training"), sentence: this.#say("wrong_card") };
    return { stage: claim.stage, ...ended };
  }

  #take(claim, lesson, now) {
    if (claim.stage === "selected") this.waits.push(now - claim.opened_at);
    this.slip = null;
    const [first, last] = [this.#say(`guest_${lesson.id}_first`), this.#say(`guest_${lesson.id}_last`)];
    const initial = last.split(" ").find((word) => /^\p{Lu}/u.test(word))?.[0] ?? "";
    Object.assign(claim, {
      stage: claim.stage === "selected" ? "taken" : claim.stage,
      taken_by: this.#me.id, taken_name: this.#me.name, taken_at: now,
      guest: { name: `${first} ${last}`, called: `${first} ${initial}.`, last4: lesson.last4 },
    });
  }

  #pay(claim, amount) {
    const { guest, position, pocket } = claim;
    const facts = { guest: guest.name, card: guest.last4, position, pocket, amount: this.#money(amount), crew: this.#me.name };
    this.slip = Object.entries(facts).map(([name, value]) => [this.#say(`slip_${name}`), value]);
    this.#end(claim, "confirmed", amount);
  }

  #notThere(claim, now) {
    Object.assign(claim, { stage: "not_there", arrived_at: now, calledAt: now + CALLED_MS });
    this.#soon(now); // whoever walked is free for the next one
  }

  #end(claim, outcome, amount = 0) {
    const now = this.#now();
    claim.stage = outcome;
    this.#claims = this.#claims.filter((one) => one !== claim);
    const sentence = this.#say(`ended_${outcome}`, { amount: this.#money(amount) });
    this.#ended.unshift({ key: claim.key, position: claim.position, outcome, ended_at: now, sentence });
    this.#soon(now);
  }

  // One at a time, but that a guest who is called leaves room for the next.
  #soon(now) {
    const walking = this.#claims.filter(({ stage }) => !["not_there", "announced"].includes(stage));
    if (this.#came < LESSONS.length && !walking.length) this.#nextAt = now + NEXT_MS;
  }
}
