// The page's line to the server: whole messages, the server's time, and the last message kept for a reload without a network.
import { io } from "socket.io-client";
import { askTime } from "../../web_display/static/ask_time.js";
import { ServerClock } from "../../web_display/static/server_clock.js";
import { recall, remember } from "./press_store.js";
import { turnedAway } from "./signed_out.js";

const VERSION = 1;
const KEPT_FOR_MS = 12 * 3_600_000;

export class Link {
  #clock = new ServerClock();
  #wallAhead = 0; // the server's time less this machine's, as it was when a message last came
  #base;
  #told;
  #mayBeOld = () => {};
  #greeted = false; // a message has come since the last connection was made
  socket;
  snapshot = null;
  heardAt = 0;
  lost = false;

  // `base` is the page's address and its namespace ("/crew"); `told` is called after every change.
  constructor(base, told) {
    this.#base = base;
    this.#told = told;
  }

  start() {
    const kept = recall(`${this.#base}.snapshot`);
    if (kept?.message?.version === VERSION && Math.abs(Date.now() - kept.wall) < KEPT_FOR_MS) {
      this.snapshot = kept.message;
      this.heardAt = kept.message.server_now;
      this.#wallAhead = kept.message.server_now - kept.wall;
      this.lost = true; // kept, not live, until a message has come: the core may be down
      this.#told();
    }
    this.#connect();
  }

  // The server's time as well as it is known: of this connection, else as the kept message had it.
  now() {
    return this.#clock.known ? this.#clock.now() : Date.now() + this.#wallAhead;
  }

  // Connected, and what is shown is the server's present.
  get live() {
    return this.socket.connected && this.#greeted;
  }

  // Ask for the whole message by another way than the socket: an answer came, and the socket is silent.
  async refresh() {
    try {
      const answer = await fetch(`${this.#base}/snapshot.json`, { cache: "no-store", signal: AbortSignal.timeout(6000) });
      if (!answer.ok) return;
      const message = await answer.json();
      if (message.server_now >= this.heardAt) this.#take(message);
    } catch {
      // The line is down; the page says so already.
    }
  }

  #take(message) {
    if (message.version !== VERSION) {
      setTimeout(() => location.reload(), 2000);
      return;
    }
    this.#mayBeOld(message.server_now);
    this.#clock.heard(message.server_now);
    this.snapshot = message;
    this.heardAt = message.server_now;
    this.#wallAhead = message.server_now - Date.now();
    remember(`${this.#base}.snapshot`, { wall: Date.now(), message });
    this.#told();
  }

  #setLost(is) {
    if (is === this.lost) return;
    this.lost = is;
    this.#told();
  }

  #connect() {
    const socket = io(this.#base, {
      transports: ["websocket", "polling"],
      tryAllTransports: true,
      reconnectionDelay: 250,
      reconnectionDelayMax: 1000,
      timeout: 4000,
    });
    this.socket = socket;
    this.#mayBeOld = askTime(socket, this.#clock);
    socket.on("connect", () => {
      this.#greeted = false;
    });
    socket.on("connect_error", (why) => {
      this.#setLost(true);
      if (turnedAway(why)) return;
      if (!socket.active) setTimeout(() => socket.connect(), 2000);
    });
    socket.on("disconnect", (reason) => {
      this.#greeted = false;
      this.#setLost(true);
      if (reason === "io server disconnect") setTimeout(() => socket.connect(), 1000);
    });
    socket.on("snapshot", (message) => {
      this.#greeted = true;
      this.lost = false;
      this.#take(message);
    });
    addEventListener("offline", () => this.#setLost(true));
    addEventListener("online", () => {
      if (!socket.connected) socket.disconnect().connect(); // at once, not when the next try is due
      else if (this.#greeted) this.#setLost(false);
    });
  }
}
