// The second person of an act: number and secret typed on the spot. The secret is kept nowhere and gone after each try.
import { setText } from "../../web_display/static/words.js";
import { me, tell } from "./signed_words.js";

// A refusal's code to the field it is about.
export const SECOND_FAULTS = Object.freeze({
  X_SAME_PERSON: "second",
  X_GAVE_THE_CODE: "second",
  X_SECOND_PERSON_REQUIRED: "second",
  X_WRONG_SECRET: "second_secret",
  X_LOCKED_OUT: "second_secret",
  X_TOO_MANY_TRIES: "second_secret",
});

export class SecondPerson {
  #number;
  #secret;

  // `form` has the part of second_person.html in it.
  constructor(form) {
    this.#number = form.elements.second;
    this.#secret = form.elements.second_secret;
    setText(form.querySelector(".second .first"), me.name ? tell("first_is", me) : "");
  }

  // The staff number as the server knows it.
  get number() {
    return this.#number.value.trim().toLowerCase();
  }

  // [field, words] of what is still to be typed; `as` is the words' kind: "need" in a list, "say" as a sentence.
  missing(as = "need") {
    const open = [];
    if (!this.number) open.push(["second", tell(`${as}_second`)]);
    if (!this.#secret.value) open.push(["second_secret", tell(`${as}_second_secret`)]);
    return open;
  }

  // What is sent. The secret leaves the page with it.
  take() {
    const said = { second: this.number, second_secret: this.#secret.value };
    this.#secret.value = "";
    return said;
  }

  clear() {
    this.#number.value = this.#secret.value = "";
  }
}
