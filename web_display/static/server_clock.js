// The server's time on this page. The page's own wall clock is never asked: it may be wrong, or be set while a ring runs.
const KEPT = 5;

export class ServerClock {
  #offsets = [];
  #offset = null;

  // A message made at `serverNow` has just come. Delay on the way makes an offset too small, never too large:
  // the largest of the last few is the nearest to the truth.
  heard(serverNow) {
    this.#offsets.push(serverNow - performance.now());
    if (this.#offsets.length > KEPT) this.#offsets.shift();
    this.#offset = Math.max(...this.#offsets);
  }

  // After a new connection the server may be another, or its clock re-anchored: older offsets say nothing.
  restart() {
    this.#offsets = [];
  }

  get known() {
    return this.#offset !== null;
  }

  now() {
    return performance.now() + (this.#offset ?? 0);
  }
}

// Whole seconds until `deadline`, rounded up: 90 at the first instant, 0 only when it has passed.
export function secondsLeft(deadline, now) {
  return Math.max(0, Math.ceil((deadline - now) / 1000));
}

// "14:18" or "14:18:05" of an instant on the property's clock.
export function clockText(at, offsetMinutes, withSeconds = false) {
  const iso = new Date(at + offsetMinutes * 60_000).toISOString();
  return withSeconds ? iso.slice(11, 19) : iso.slice(11, 16);
}
