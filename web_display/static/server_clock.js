// The server's time on this page. The page's own wall clock is never asked: it may be wrong, or be set while a ring runs.
// web_display/core_time.py goes by the same rules.
const KEPT = 8;
const SLACK = 2; // the clocks' own grain, in ms

export class ServerClock {
  #least = []; // of messages: the offset is at least this, since a message comes after it was made
  #trips = []; // of questions: the offset, right within half the trip's length
  #offset = null;

  // A message made at `serverNow` has just come.
  heard(serverNow) {
    const least = serverNow - performance.now();
    this.#least.push(least);
    // A trip that says less was made to another server, or before its clock was set.
    this.#trips = this.#trips.filter((trip) => trip.offset + trip.length / 2 + SLACK >= least);
    this.#settle();
  }

  // The server was asked at `askedAt` (performance.now) and its answer `serverNow` has just come.
  measured(serverNow, askedAt) {
    const now = performance.now();
    const made = { length: now - askedAt, offset: serverNow - (now + askedAt) / 2 };
    const agrees = (trip) => Math.abs(trip.offset - made.offset) <= (trip.length + made.length) / 2 + SLACK;
    this.#trips = [...this.#trips.filter(agrees), made];
    this.#least = this.#least.filter((least) => least <= made.offset + made.length / 2 + SLACK);
    this.#settle();
  }

  // After a new connection the server may be another: what was said before no longer counts, once it has said something.
  restart() {
    this.#least = [];
    this.#trips = [];
  }

  get known() {
    return this.#offset !== null;
  }

  now() {
    return performance.now() + (this.#offset ?? 0);
  }

  #settle() {
    this.#least = this.#least.slice(-KEPT);
    this.#trips = this.#trips.slice(-KEPT);
    const shortest = this.#trips.reduce((best, trip) => (best && best.length <= trip.length ? best : trip), null);
    this.#offset = shortest ? shortest.offset : Math.max(...this.#least);
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
