// What the desks' page sends: by POST, with a number of its own, so that sent twice it is done once.
import { say } from "../../web_display/static/words.js";
import { ask, send } from "./page_send.js";

const { actions = "" } = document.body.dataset;
const PATIENCE_MS = 8000;
const PICTURE_PATIENCE_MS = 45_000; // half a megabyte over bad Wi-Fi

// The answer as JSON; {lost: true} when none came, and nobody knows whether it was done.
export async function post(path, body) {
  try {
    return (await send(actions + path, body, { patience: PATIENCE_MS })).said;
  } catch {
    return { ok: false, lost: true, sentence: say("not_sent") };
  }
}

// A picture as the whole body; the answer as above.
export async function postPicture(path, picture) {
  try {
    const answer = await ask(actions + path, picture, { type: picture.type, patience: PICTURE_PATIENCE_MS });
    return await answer.json();
  } catch {
    return { ok: false, lost: true, sentence: say("not_sent") };
  }
}

// {picture}, or the answer that says why not.
export async function readPicture(path, body) {
  try {
    const answer = await ask(actions + path, JSON.stringify(body), { patience: PICTURE_PATIENCE_MS });
    return answer.ok ? { picture: await answer.blob() } : await answer.json();
  } catch {
    return { ok: false, lost: true, sentence: say("not_sent") };
  }
}

// Keeps the number of what was sent until an answer has come: the same again is the same, something else is new.
export class Sending {
  #id = "";
  #said = "";

  async send(path, body) {
    const { second_secret: _secret, ...kept } = body; // a secret is no part of what was done, and is not kept
    const said = JSON.stringify([path, kept]);
    if (said !== this.#said) {
      this.#said = said;
      this.#id = newId();
    }
    const answer = await post(path, { ...body, id: this.#id });
    if (!answer.lost && answer.code !== "X_TRY_AGAIN") this.#said = "";
    return answer;
  }
}

function newId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
