// What the tablet has instead of a line to the server and a box of presses: the training's floor, in this page.
const ON_ITS_WAY_MS = 180;

export function lineTo(core) {
  return class {
    snapshot = null;
    heardAt = 0;
    lost = false;
    live = true;
    socket = { connected: true };
    #told;

    constructor(_base, told) {
      this.#told = told;
    }

    start() {
      this.hear();
    }

    hear() {
      this.snapshot = core.floor.snapshot();
      this.heardAt = this.snapshot.server_now;
      this.#told();
    }

    now() {
      return Date.now();
    }

    async refresh() {
      this.hear();
    }
  };
}

export function boxOf(core) {
  return class {
    waiting = [];
    others = [];
    barred = false;
    stuck = false;
    last = null;
    #with;

    constructor(_base, given) {
      this.#with = given;
    }

    waitingFor(key) {
      return this.waiting.find((press) => press.key === key) ?? null;
    }

    press(label, key, message) {
      const press = { label, key, pressedAt: Date.now(), body: message };
      this.waiting.push(press);
      this.#with.changed();
      setTimeout(() => this.#settle(press), ON_ITS_WAY_MS);
    }

    hurry() {}

    #settle(press) {
      const answer = core.floor.press(press.body);
      const { ok, at = Date.now(), code = "", sentence = "" } = answer;
      this.waiting = this.waiting.filter((one) => one !== press);
      this.last = { label: press.label, ok, at, code, sentence };
      this.#with.answered(press, answer);
      core.changed();
      this.#with.changed();
    }
  };
}
