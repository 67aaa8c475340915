// What the pages of signing in send, and where they lead: what this device kept of guests for the last one goes.
import { say } from "../../web_display/static/words.js";
import { OURS } from "./page_send.js";
import { forgetGuests } from "./signed_out.js";

const PATIENCE_MS = 20_000; // many sign in at the change of a shift

export async function trySend(path, body) {
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const answer = await fetch(path, { method: "POST", headers: OURS, body: JSON.stringify(body), cache: "no-store", signal });
    return await answer.json();
  } catch {
    return { ok: false, sentence: say("not_sent") };
  }
}

export async function goOn(to) {
  await forgetGuests().catch(() => {});
  location.assign(to);
}
