// The tickets redone on this device from the opened seed (draw record 1, "Selecting"): the server is not asked. A browser
// keeps its own hashes for safe connections, so they come from a part of ours.
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";

const SPACE = 2n ** 256n;
const bytes = (text) => new TextEncoder().encode(text);
const hex = (buffer) => [...buffer].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const raw = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

// Whether the seed is the one that was committed to before any pool existed.
export function opensCommitment({ id, commitment, house_seed: seed, rehearsal }) {
  const tag = bytes(`floordraw/1/${rehearsal ? "rehearsal" : "house"}\n${id}\n`);
  return hex(sha256(new Uint8Array([...tag, ...raw(seed)]))) === commitment;
}

// The digest of the texts given from outside (patterns of plain letters, so that JSON writes them as JCS does).
export const publicOf = (texts) => hex(sha256(bytes(JSON.stringify(texts))));

// Canonical JSON of what is hashed: its members are written in the order that JCS asks for.
function messageOf(draw, { ordinal, root, size, total, public: given }) {
  return JSON.stringify({ draw, ordinal, pool: { root, size, total }, public: given, v: 1 });
}

// {message, key, x, ticket} of a selection.
export function redone(draw, seed, made) {
  const message = messageOf(draw, made);
  const key = hmac(sha256, raw(seed), bytes(message));
  const total = BigInt(made.total);
  const limit = SPACE - (SPACE % total);
  for (let i = 0; ; i += 1) {
    const counter = new Uint8Array(4);
    new DataView(counter.buffer).setUint32(0, i);
    const x = BigInt(`0x${hex(hmac(sha256, key, counter))}`);
    if (x < limit) return { message, key: hex(key), x: x.toString(), ticket: (x % total).toString() };
  }
}
