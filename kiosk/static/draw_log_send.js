// What the draw log asks of the server: by POST, so that no number of a guest stands in an address.
import { el, say } from "../../web_display/static/words.js";

// {ok, ...} of the server; {sentence, code} when the answer is no, or when none came.
export async function ask(path, said) {
  try {
    const answer = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json", "X-Floordraw": "1" },
      body: JSON.stringify(said),
    });
    const told = await answer.json();
    if (answer.ok) return { said: told };
    const sentence = told.code === "X_NOT_SIGNED_IN" ? say("signed_out") : told.sentence;
    return { sentence: sentence ?? say("not_sent"), code: told.code ?? "" };
  } catch {
    return { sentence: say("not_sent"), code: "" };
  }
}

// The line that says why not, beside what was asked; nothing when there is nothing to say.
export function refuse(line, sentence, code = "") {
  line.hidden = !sentence;
  line.replaceChildren(sentence, " ", el("small", "", code));
}
