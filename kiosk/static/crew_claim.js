// One claim: who and where on the left, the one thing to do next on the right.
import { mark } from "../../web_display/static/marks.js";
import { el, say, setText } from "../../web_display/static/words.js";
import { nameOf } from "./crew_claim_words.js";
import { checkStep } from "./crew_check.js";
import { amountStep, pocketStep, signStep } from "./crew_envelope.js";
import { doneStep, machineStep, stageStep } from "./crew_steps.js";
import { timeOf } from "./press_words.js";

const find = (name) => document.querySelector(name);
const STEPS = ["check", "pocket", "amount", "sign"];
const MAKE = { machine: machineStep, stage: stageStep, check: checkStep, pocket: pocketStep, amount: amountStep, sign: signStep };
const STEP_OF = { taken: "machine", found: "check", presented: "check", checked: "pocket" };

export class ClaimView {
  #tablet;
  #claim = null;
  #step = null;
  #shown = "";
  #drafts = new Map();

  constructor(tablet) {
    this.#tablet = tablet;
  }

  // `end` = {kind, title, what, code} of a claim that is over for this tablet.
  show(claim, end) {
    const draft = this.#draftOf(claim?.key ?? "");
    const name = end ? "done" : this.#stepOf(claim, draft);
    const shown = `${claim?.key}:${name}:${end?.title ?? ""}:${name === "machine" ? (claim.guest?.name ?? "") : ""}`;
    this.#claim = claim;
    if (shown !== this.#shown) this.#change(shown, name, claim, end, draft);
    else if (claim) this.#step.update?.(claim);
    find(".claim-view").classList.toggle("wide", name === "sign");
    this.#fillSteps(name, claim);
    this.#fillPending(claim);
    if (claim && name !== "sign") this.#fillWho(claim);
    this.tick();
  }

  hide() {
    this.#step?.leave?.();
    this.#step = this.#claim = null;
    this.#shown = "";
  }

  #draftOf(key) {
    if (!this.#drafts.has(key)) this.#drafts.set(key, { amount: 0, opened: false, phase: "amount" });
    return this.#drafts.get(key);
  }

  #stepOf(claim, draft) {
    if (claim.stage === "envelope") return draft.phase;
    return STEP_OF[claim.stage] ?? "stage";
  }

  #change(shown, name, claim, end, draft) {
    const first = this.#shown === "";
    this.#step?.leave?.();
    this.#step = end ? doneStep(this.#tablet, end) : MAKE[name](this.#tablet, claim, draft);
    this.#shown = shown;
    find(".claim-view .do-next").replaceChildren(this.#step.node);
    const aside = find(".claim-view .about");
    aside.classList.toggle("paper", Boolean(this.#step.aside));
    if (this.#step.aside) aside.replaceChildren(...this.#step.aside.childNodes);
    else aside.replaceChildren();
    aside.dataset.key = "";
    aside.hidden = Boolean(end);
    const focus = this.#step.focus ?? this.#step.node.querySelector("h1");
    focus.focus({ preventScroll: !first });
    scrollTo(0, 0);
  }

  #fillSteps(name, claim) {
    const bar = find(".bar .steps");
    bar.hidden = !STEPS.includes(name);
    setText(find(".bar .of"), claim?.position ?? "");
    const at = STEPS.indexOf(name);
    const now = bar.hidden ? "" : `${at}`;
    if (bar.dataset.at === now) return;
    bar.dataset.at = now;
    bar.replaceChildren(
      ...STEPS.map((step, n) => {
        const item = el("li", n < at ? "passed" : "", mark(n < at ? "won" : n === at ? "run" : "wait"), say(`step_${step}`));
        if (n === at) item.setAttribute("aria-current", "step");
        return item;
      }),
    );
  }

  #fillWho(claim) {
    const aside = find(".claim-view .about");
    const { map } = this.#tablet;
    const key = JSON.stringify([claim.key, claim.guest, claim.where, map.here, this.#tablet.link.snapshot.floor, map.version]);
    if (aside.dataset.key === key) return;
    aside.dataset.key = key;
    const guest = claim.guest && el("dl", "", el("dt", "", say("guest")), el("dd", "", nameOf(claim.guest)), el("dt", "", say("card")), el("dd", "", say("ends", { last4: claim.guest.last4 })));
    aside.replaceChildren(
      el("p", "pos", claim.position),
      el("p", "where", claim.where),
      guest || el("p", "quiet", say("name_coming")),
      map.picture(claim),
    );
  }

  #fillPending(claim) {
    const line = find(".claim-view .pending");
    const press = claim ? this.#tablet.pending(claim) : null;
    // A field that is typed into stays open: what is disabled loses the focus, and a scanner's letters with it.
    const parts = find(".claim-view .do-next").querySelectorAll('button, input:not([type="text"])');
    for (const part of parts) part.disabled = Boolean(press);
    line.hidden = !press?.late;
    if (!press?.late) return;
    const said = say("press_waits", { press: press.label, time: timeOf(this.#tablet.link, press.pressedAt) });
    if (line.dataset.says !== said) line.replaceChildren(mark("send"), el("span", "", said, " ", say("claim_waits")));
    line.dataset.says = said;
  }

  tick() {
    if (this.#claim) this.#step?.tick?.(this.#claim, this.#tablet.link.now());
  }
}

