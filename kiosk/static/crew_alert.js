// A new selection is heard and felt: a tone made here, no file. Browsers let a page sound only after it has been touched.
import { mark } from "../../web_display/static/marks.js";
import { say } from "../../web_display/static/words.js";
import { recall, remember } from "./press_store.js";

const NOTES_HZ = [784, 1175, 784, 1175];
const NOTE_S = 0.16;
const GAP_S = 0.05;
const LOUD = 0.5;
const BUZZ_MS = [300, 120, 300];

export class Alert {
  #button;
  #sound = null;

  constructor(button) {
    this.#button = button;
    button.addEventListener("click", () => this.#turn());
    // Sound was allowed on this tablet before a reload: the first touch wakes it again.
    const woken = (event) => this.on && !button.contains(event.target) && this.#wake();
    for (const touch of ["pointerup", "keydown"]) addEventListener(touch, woken, { capture: true });
    this.#show();
  }

  get on() {
    return recall("/crew.sound") !== false;
  }

  ring() {
    if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(BUZZ_MS);
    if (this.on && this.#sound?.state === "running") this.#play();
  }

  async #turn() {
    const sounding = this.on && this.#sound?.state === "running";
    remember("/crew.sound", !sounding);
    if (!sounding) {
      await this.#wake();
      this.#play();
    }
    this.#show();
  }

  async #wake() {
    if (this.#sound?.state === "running") return;
    this.#sound ??= new AudioContext();
    this.#sound.onstatechange = () => this.#show();
    await this.#sound.resume();
    this.#show();
  }

  #play() {
    let at = this.#sound.currentTime + 0.02;
    for (const pitch of NOTES_HZ) {
      const [tone, level] = [this.#sound.createOscillator(), this.#sound.createGain()];
      tone.type = "triangle";
      tone.frequency.value = pitch;
      level.gain.setValueAtTime(0, at);
      level.gain.linearRampToValueAtTime(LOUD, at + 0.02);
      level.gain.setValueAtTime(LOUD, at + NOTE_S - 0.04);
      level.gain.linearRampToValueAtTime(0, at + NOTE_S);
      tone.connect(level).connect(this.#sound.destination);
      tone.start(at);
      tone.stop(at + NOTE_S);
      at += NOTE_S + GAP_S;
    }
  }

  #show() {
    const sounding = this.on && this.#sound?.state === "running";
    this.#button.setAttribute("aria-pressed", String(sounding));
    this.#button.replaceChildren(mark(sounding ? "plain" : "pause"), say(sounding ? "sound_on" : "sound_off"));
  }
}
