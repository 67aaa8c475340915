// A clock that nobody can vouch for: two people decide, with a reason. Announcing again is what is chosen until they say.
import { mark } from "../../web_display/static/marks.js";
import { el, keyed, say, setText } from "../../web_display/static/words.js";
import { clearFaults, fault, focusField, refused, showRefusal } from "./form_faults.js";
import { send } from "./page_send.js";
import { timeOf } from "./press_words.js";
import { SECOND_FAULTS, SecondPerson } from "./second_person.js";

const dialog = document.querySelector("dialog.review");
const form = dialog.querySelector("form");
const find = (name) => dialog.querySelector(name);
const FAULTS = { ...SECOND_FAULTS, X_REASON_REQUIRED: "reason" };

export class Reviews {
  #stage;
  #reviews = [];
  #open = null;
  #busy = false;
  #second = new SecondPerson(form);

  constructor(stage) {
    this.#stage = stage;
    form.addEventListener("input", (event) => {
      const field = event.target.closest("[data-field]");
      if (field) fault(form, field.dataset.field, "");
    });
    dialog.addEventListener("close", () => form.reset());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send();
    });
    find(".no").addEventListener("click", () => dialog.close());
  }

  show(reviews) {
    this.#reviews = reviews;
    const rows = document.querySelector(".reviews");
    keyed(rows, reviews, (review) => review.key, () => this.#make(), (node, review) => {
      setText(node.querySelector(".nm"), review.name);
      setText(node.querySelector(".why"), review.sentence);
      setText(node.querySelector("small"), review.code);
    });
    if (dialog.open && this.#open && !reviews.some((review) => review.key === this.#open.key)) dialog.close();
  }

  #make() {
    const decide = el("button", "btn", say("decide"));
    decide.type = "button";
    const head = el("p", "label", mark("late"), say("review_head"));
    const node = el("article", "to-review", head, el("p", "nm"), el("p", "why"), el("small"), decide);
    decide.addEventListener("click", () => this.#ask(this.#reviews.find((review) => review.key === node.dataset.key)));
    return node;
  }

  #ask(review) {
    const { link } = this.#stage;
    this.#open = review;
    form.reset();
    setText(find("h2"), say("decide_title", { name: review.name }));
    const clock = { from: timeOf(link, review.announced_at), to: timeOf(link, review.deadline_at) };
    setText(find(".what"), `${review.sentence} ${say("decide_clock", clock)}`);
    clearFaults(form);
    dialog.showModal();
  }

  #missing() {
    const missing = this.#second.missing("say");
    if (!form.elements.reason.value.trim()) missing.push(["reason", say("say_reason")]);
    return missing;
  }

  async #send() {
    if (this.#busy) return;
    const missing = this.#missing();
    clearFaults(form);
    for (const [name, sentence] of missing) fault(form, name, sentence);
    if (missing.length) {
      focusField(form, missing[0][0]);
      return;
    }
    this.#busy = true;
    find(".yes").setAttribute("aria-disabled", "true");
    try {
      const answer = await this.#decide();
      if (answer.ok) dialog.close();
      else showRefusal(form, { sentence: say("not_sent"), ...answer }, FAULTS);
    } catch {
      refused(form, say("not_sent"));
    } finally {
      this.#busy = false;
      find(".yes").removeAttribute("aria-disabled");
    }
  }

  async #decide() {
    const { reason, decision } = form.elements;
    const { draw, ordinal } = this.#open;
    const body = { draw, ordinal, decision: decision.value, reason: reason.value.trim(), ...this.#second.take() };
    return (await send("/claims/review", body)).said;
  }
}
