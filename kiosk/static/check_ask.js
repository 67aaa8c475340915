// Asking the house: published draws, proofs by a reference, where a root was published. A reference names nobody; neither
// the code of a receipt nor a member number is ever part of a question.
import { say } from "../../web_display/static/words.js";

const TRIES = 4;
const pause = (ms) => new Promise((go) => setTimeout(go, ms));

// What the house refused, or that it could not be reached: `message` is the sentence for the guest.
export class Refused extends Error {
  constructor(sentence, again = false) {
    super(sentence);
    this.again = again;
  }
}

// The answer as data. While many ask at once it is asked again, later each time. Throws Refused.
export async function ask(path) {
  for (let tried = 1; ; tried += 1) {
    const { status, said } = await once(path);
    if (status === 200) return said;
    const busy = status === 503;
    // What is open now will be published: the guest need not scan the code again for it.
    const later = busy || !said?.sentence || said.code === "X_DRAW_OPEN";
    if (!busy || tried === TRIES) throw new Refused(said?.sentence ?? say("unreachable"), later);
    await pause(700 * 2 ** tried * (0.5 + Math.random()));
  }
}

async function once(path) {
  try {
    const answer = await fetch(path, { headers: { Accept: "application/json" }, credentials: "omit" });
    return { status: answer.status, said: await answer.json() };
  } catch {
    throw new Refused(say("unreachable"), true);
  }
}

// A draw's id as a path; null for what cannot be one.
export function pathOf(draw) {
  const parts = draw.split("/");
  const fine = /^[A-Za-z0-9._/:-]{1,128}$/.test(draw) && parts.every((part) => part !== "" && part !== "." && part !== "..");
  return fine ? parts.map(encodeURIComponent).join("/") : null;
}
