// The tickets redone on this tablet from the opened seed (draw record 1, "Selecting"): the server is not asked.
const SPACE = 2n ** 256n;
const bytes = (text) => new TextEncoder().encode(text);
const hex = (buffer) => [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const raw = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

// A browser keeps its hashes for safe connections.
export const canRedo = () => Boolean(globalThis.crypto?.subtle);

async function hmac(key, message) {
  const made = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", made, message));
}

// Whether the seed is the one that was committed to before any pool existed.
export async function opensCommitment({ id, commitment, house_seed: seed, rehearsal }) {
  const tag = bytes(`floordraw/1/${rehearsal ? "rehearsal" : "house"}\n${id}\n`);
  const all = new Uint8Array([...tag, ...raw(seed)]);
  return hex(await crypto.subtle.digest("SHA-256", all)) === commitment;
}

// Canonical JSON of what is hashed: its members are written in the order that JCS asks for.
function messageOf(draw, { ordinal, root, size, total, public: given }) {
  return JSON.stringify({ draw, ordinal, pool: { root, size, total }, public: given, v: 1 });
}

// {message, key, x, ticket} of a selection.
export async function redone(draw, seed, made) {
  const message = messageOf(draw, made);
  const key = await hmac(raw(seed), bytes(message));
  const total = BigInt(made.total);
  const limit = SPACE - (SPACE % total);
  for (let i = 0; ; i += 1) {
    const counter = new Uint8Array(4);
    new DataView(counter.buffer).setUint32(0, i);
    const x = BigInt(`0x${hex(await hmac(key, counter))}`);
    if (x < limit) return { message, key: hex(key), x: x.toString(), ticket: (x % total).toString() };
  }
}
