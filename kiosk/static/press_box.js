// The presses of this tablet: each has an id and is kept until the server has answered it, over reloads too.
// They are sent one by one in the order they were made; sent twice, a press is answered twice and counts once.
// Each is somebody's: it is sent while they are signed in, and waits in sight until they are.
import { OURS } from "./page_send.js";
import { recall, remember } from "./press_store.js";
import { me } from "./signed_words.js";

const ANSWER_WITHIN_MS = 8000;
const WAITS_MS = [500, 1000, 2000, 4000, 8000];
const TRY_AGAIN = new Set([408, 425, 429, 500, 502, 503, 504]);
const FAULTS_BORNE = 5; // answers of "something went wrong" before a press is given up
const NOBODYS_AFTER_MS = 12 * 3_600_000; // somebody else's press: no claim lives so long, nor does a sign-in

export class PressBox {
  #name;
  #changed;
  #answered;
  #now;
  #timer = null;
  #busy = false;
  #fails = 0;
  #barred = false; // the server knows nobody, or somebody else, on this tablet

  // `changed()` after every change; `answered(press, answer)` with what the server said, {ok} or {code, sentence}.
  constructor(base, { now, changed, answered }) {
    this.#name = `${base}.presses`;
    this.#now = now;
    this.#changed = changed;
    this.#answered = answered;
    for (const event of ["online", "pageshow"]) addEventListener(event, () => this.hurry());
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.hurry());
    addEventListener("signing-out", (event) => this.waiting.length && event.preventDefault());
    this.#forgetOld();
  }

  get #kept() {
    return recall(this.#name) ?? { waiting: [], last: null };
  }

  // Those of whoever is signed in.
  get waiting() {
    return this.#kept.waiting.filter(isMine);
  }

  // Those of others, who must sign in here to send them.
  get others() {
    return this.#kept.waiting.filter((press) => !isMine(press));
  }

  // Whether they wait for a sign-in rather than for the network.
  get barred() {
    return this.#barred;
  }

  // The last press that was answered: {label, at, ok, code, sentence}.
  get last() {
    return this.#kept.last;
  }

  // Whether the press that comes first has been tried in vain.
  get stuck() {
    return this.#fails > 0;
  }

  waitingFor(key) {
    return this.waiting.find((press) => press.key === key) ?? null;
  }

  // `label` says the press in words; `key` names the claim; the rest is the message's own.
  press(label, key, message) {
    const body = { id: uuid(), made_at: Date.now(), ...message };
    const kept = this.#kept;
    kept.waiting.push({ label, key, pressedAt: this.#now(), who: me.name, body: { ...body, by: me.id } });
    remember(this.#name, kept);
    this.#changed();
    this.#pump();
  }

  // The network may be back: try now.
  hurry() {
    if (this.#busy || !this.waiting.length) return;
    clearTimeout(this.#timer);
    this.#pump();
  }

  #forgetOld() {
    const kept = this.#kept;
    const young = kept.waiting.filter((press) => isMine(press) || Date.now() - press.body.made_at < NOBODYS_AFTER_MS);
    if (young.length < kept.waiting.length) remember(this.#name, { ...kept, waiting: young });
  }

  async #pump() {
    if (this.#busy) return;
    this.#busy = true;
    clearTimeout(this.#timer);
    try {
      while (this.waiting.length) {
        const [press] = this.waiting;
        const answer = await this.#send(press);
        if (answer === null) {
          this.#fails += 1;
          this.#timer = setTimeout(() => this.#pump(), WAITS_MS[Math.min(this.#fails, WAITS_MS.length) - 1]);
          this.#changed();
          return;
        }
        this.#settle(press, answer);
      }
    } finally {
      this.#busy = false;
    }
  }

  #settle(press, answer) {
    this.#fails = 0;
    this.#barred = false;
    const kept = this.#kept;
    kept.waiting = kept.waiting.filter((other) => other.body.id !== press.body.id);
    const { ok = false, at = this.#now(), code = "", sentence = "" } = answer;
    kept.last = { label: press.label, ok, at, code, sentence };
    remember(this.#name, kept);
    this.#answered(press, answer);
    this.#changed();
  }

  // What the server said, or null when nothing is known: no network, a network that answers by itself, a busy server.
  async #send(press) {
    try {
      const answer = await fetch("/presses", {
        method: "POST",
        headers: OURS,
        body: JSON.stringify(press.body),
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      });
      const said = await answer.json();
      if (answer.ok && said.ok === true) return said;
      this.#barred = answer.status === 401;
      if (this.#barred) dispatchEvent(new Event("signed-out"));
      if (this.#barred || typeof said.code !== "string") return null;
      if (TRY_AGAIN.has(answer.status) && !(said.code === "X_FAULT" && this.#fails >= FAULTS_BORNE)) return null;
      return { ...said, ok: false };
    } catch {
      return null;
    }
  }
}

const isMine = ({ body }) => body.by === me.id;

// `crypto.randomUUID` is not there on every address; random bytes are.
function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
