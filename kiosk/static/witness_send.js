// What the witness's page sends, and what it is told about a field.
import { mark } from "../../web_display/static/marks.js";
import { goToSignIn } from "./signed_out.js";
import { say } from "../../web_display/static/words.js";

const PATIENCE_MS = 8000;

// The answer as JSON; {lost: true} when none came. Who is no longer signed in is sent to do so.
export async function post(path, body) {
  try {
    const answer = await fetch(`/witness/${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Floordraw": "1" },
      body: JSON.stringify(body),
      cache: "no-store",
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (answer.status === 401) goToSignIn();
    return await answer.json();
  } catch {
    return { lost: true, sentence: say("not_sent") };
  }
}

// A sentence beside its field, or none; the field says so to a screen reader too.
export function faultAt(field, sentence) {
  const line = document.querySelector(`#${field.id}-fault`);
  line.hidden = !sentence;
  line.replaceChildren(...(sentence ? [mark("late"), sentence] : []));
  field.setAttribute("aria-invalid", String(Boolean(sentence)));
}

export function refusedIn(place, sentence) {
  const line = place.querySelector(".refused");
  line.hidden = !sentence;
  line.textContent = sentence ?? "";
}
