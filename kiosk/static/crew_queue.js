// The queue: what nobody has, position first and without a name; then who has what, the tablet's own rows barred.
import { mark } from "../../web_display/static/marks.js";
import { makeRing } from "../../web_display/static/ring.js";
import { el, keyed, say, setText } from "../../web_display/static/words.js";
import { calledOf, isFree, mayWork, needsWork, sinceText, stateOf, whereOf } from "./crew_claim_words.js";
import { setClock } from "./press_ring.js";
import { timeOf } from "./press_words.js";

const find = (name) => document.querySelector(`.queue ${name}`);

export class Queue {
  #tablet;
  #claims = [];

  constructor(tablet) {
    this.#tablet = tablet;
  }

  show(claims) {
    this.#claims = claims;
    const free = claims.filter(isFree);
    const taken = claims.filter((claim) => !isFree(claim)).sort((a, b) => this.#rank(a) - this.#rank(b));
    keyed(find(".free"), free, (claim) => claim.key, () => this.#makeFree(), (node, claim) => this.#fillFree(node, claim));
    keyed(find(".list"), taken, (claim) => claim.key, () => this.#makeRow(), (node, claim) => this.#fillRow(node, claim));
    find(".none-free").hidden = free.length > 0;
    find(".none-taken").hidden = taken.length > 0;
    document.querySelector(".queue").classList.toggle("nothing-free", !free.length);
    this.tick();
  }

  // A guest who stands at the stage first, then the tablet's own, then the others as they were selected.
  #rank(claim) {
    const ours = claim.taken_by === this.#tablet.me;
    const place = claim.stage === "presented" ? 0 : ours ? 1 : claim.taken_by ? 2 : 3;
    return place * 1e6 + claim.opened_at / 1e9;
  }

  #makeFree() {
    const take = el("button", "btn take", say("take"));
    take.type = "button";
    const node = el("article", "new", el("p", "label"), el("p", "pos"), el("p", "where"), el("p", "nm", say("name_later")), take, el("p", "pending"));
    take.addEventListener("click", () => this.#tablet.press("take", this.#claim(node)));
    return node;
  }

  #fillFree(node, claim) {
    setText(node.querySelector(".pos"), claim.position);
    setText(node.querySelector(".where"), claim.where);
    node.querySelector(".nm").hidden = claim.stage !== "selected";
    this.#fillPending(node, claim);
  }

  #makeRow() {
    const state = el("p", "st", el("span", "chip"));
    const main = el("div", "what", el("p", "p2"), el("p", "w2"), state);
    const ring = makeRing();
    ring.classList.add("small");
    const acts = el("div", "acts", this.#act("go", "btn go"), this.#act("take", "btn"), this.#act("hand_over", "btn"), this.#act("release", "btn"));
    return el("article", "row", main, ring, acts, el("p", "pending"));
  }

  #act(name, classes) {
    const button = el("button", classes, say(name));
    button.type = "button";
    button.dataset.act = name;
    button.addEventListener("click", () => this.#tablet.act(name, this.#claim(button.closest("[data-key]"))));
    return button;
  }

  #fillRow(node, claim) {
    const { me } = this.#tablet;
    const ours = claim.taken_by !== "" && claim.taken_by === me;
    node.classList.toggle("mine", ours);
    node.classList.toggle("here", claim.stage === "presented");
    setText(node.querySelector(".p2"), claim.position);
    setText(node.querySelector(".w2"), claim.stage === "presented" && claim.guest ? calledOf(claim.guest) : whereOf(claim));
    node.querySelector(".ring").hidden = claim.deadline_at === null || claim.stage !== "announced";
    const shows = {
      go: mayWork(claim, me) && needsWork(claim),
      take: !claim.taken_by && claim.stage !== "presented",
      hand_over: ours,
      release: ours,
    };
    for (const [name, is] of Object.entries(shows)) node.querySelector(`[data-act="${name}"]`).hidden = !is;
    setText(node.querySelector('[data-act="go"]'), say(claim.stage === "presented" ? "go_check" : "go"));
    node.querySelector(".acts").hidden = !Object.values(shows).some(Boolean);
    this.#fillPending(node, claim);
  }

  #fillPending(node, claim) {
    const press = this.#tablet.pending(claim);
    for (const button of node.querySelectorAll("button")) button.disabled = Boolean(press) && button.dataset.act !== "go";
    const line = node.querySelector(".pending");
    line.hidden = !press?.late;
    if (press?.late) {
      const words = say("press_waits", { press: press.label, time: timeOf(this.#tablet.link, press.pressedAt) });
      if (line.textContent !== words) line.replaceChildren(mark("send"), words);
    }
  }

  #claim(node) {
    return this.#claims.find((claim) => claim.key === node.dataset.key);
  }

  tick() {
    const now = this.#tablet.link.now();
    for (const claim of this.#claims) {
      const node = document.querySelector(`.queue [data-key="${CSS.escape(claim.key)}"]`);
      if (!node) continue;
      if (isFree(claim)) {
        const key = claim.stage === "selected" ? "new_since" : `left_${claim.stage}`;
        setText(node.querySelector(".label"), say(key, { since: sinceText(claim.opened_at, now) }));
        continue;
      }
      const { mark: shape, words } = stateOf(claim, now);
      const chip = node.querySelector(".chip");
      if (chip.dataset.mark !== shape) {
        chip.dataset.mark = shape;
        chip.className = `chip ${claim.stage}`;
        chip.replaceChildren(mark(shape), el("span"));
      }
      setText(chip.lastElementChild, words);
      if (claim.stage === "announced" && claim.deadline_at !== null) setClock(node.querySelector(".ring"), claim, now, true);
    }
  }
}
