// What the rule books' page asks and sends. Whoever is signed out meanwhile is asked to sign in again.
import { say } from "../../web_display/static/words.js";

export const HERE = "/console/setup";
export const PATIENCE_MS = 30000;

async function ask(path, options = {}) {
  try {
    const answer = await fetch(HERE + path, { cache: "no-store", signal: AbortSignal.timeout(PATIENCE_MS), ...options });
    const told = await answer.json();
    if (told.code === "X_NOT_SIGNED_IN" || told.code === "X_SECRET_TO_CHOOSE") {
      location.assign(`/sign-in?to=${encodeURIComponent(HERE)}`);
    }
    return told;
  } catch {
    return { ok: false, lost: true, sentence: say("not_sent") };
  }
}

export const get = (path) => ask(path);

export const post = (path, body) =>
  ask(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Floordraw": "1" },
    body: JSON.stringify(body),
  });

// The bytes as they are: their SHA-256 is the book's.
export const postFile = (path, bytes) =>
  ask(path, { method: "POST", headers: { "Content-Type": "application/toml", "X-Floordraw": "1" }, body: bytes });
