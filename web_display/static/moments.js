// What is shown once and for a moment: a confirmed winner, a claim whose time is up.
const WINNER_MS = 8000;
const WINNER_AT_LEAST_MS = 4000; // when another one waits
const WINNER_NEWS_MS = 30_000; // older than this on arrival is no news: a page that was just opened shows nothing
const ENDED_MS = 4000;
const ENDED_NEWS_MS = 15_000;
const KEPT = 200;

export class Moments {
  #seen;
  #waiting = [];
  #winner = null;
  #ended = [];

  constructor(storage) {
    this.storage = storage;
    this.#seen = new Set(read(storage));
  }

  // Take what is new in a message; `now` on the server's clock.
  take(snapshot, now) {
    const { won, ended, taken_back: back } = snapshot;
    this.#waiting = this.#waiting.filter((each) => !back.includes(each.id));
    if (back.includes(this.#winner?.won.id)) this.#winner = null;
    if (won && now - won.at < WINNER_NEWS_MS && this.#first(`won ${won.id} ${won.at}`)) this.#waiting.push(won);
    // The envelope may be opened while its winner is on show: the amount follows.
    if (won && this.#winner?.won.id === won.id && this.#winner.won.at === won.at) this.#winner.won = won;
    for (const gone of ended) {
      if (now - gone.at < ENDED_NEWS_MS && this.#first(`ended ${gone.id} ${gone.at}`)) {
        this.#ended.push({ ...gone, until: now + ENDED_MS });
      }
    }
  }

  winner(now) {
    const shown = this.#winner;
    const enough = shown && now >= shown.since + (this.#waiting.length ? WINNER_AT_LEAST_MS : WINNER_MS);
    if (!shown || enough) this.#winner = this.#waiting.length ? { won: this.#waiting.shift(), since: now } : null;
    return this.#winner?.won ?? null;
  }

  ended(now) {
    this.#ended = this.#ended.filter((gone) => now < gone.until);
    return this.#ended;
  }

  #first(key) {
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    try {
      this.storage.setItem("floordraw-seen", JSON.stringify([...this.#seen].slice(-KEPT)));
    } catch {
      // Without storage a reload may show a winner twice; the screen goes on.
    }
    return true;
  }
}

function read(storage) {
  try {
    return JSON.parse(storage.getItem("floordraw-seen")) ?? [];
  } catch {
    return [];
  }
}
