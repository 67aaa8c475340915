// Inclusion proofs and references on the guest's own phone (draw record 1, "References" and "The pool"). A browser keeps
// its own hashes for safe connections, so they come from a part of ours. Nothing here asks the server.
import { sha256 } from "@noble/hashes/sha2.js";

const LEAF_RECORDS = 16;
const RECORD = 24;
const REF = 16;
const NODE = 40; // hash (32) and sum (8)
const HEADER = 42; // root (32), leaf (4), leaf count (4), data length (2)
const MOST = HEADER + LEAF_RECORDS * RECORD + 32 * NODE; // a leaf count of four bytes has at most 32 levels above it
const LIMIT = 2n ** 63n;
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

// Why a proof does not hold: `message` is one of the names that the catalogue words as fault_NAME.
export class ProofFault extends Error {}

const unless = (holds, fault) => {
  if (!holds) throw new ProofFault(fault);
};
const ascii = (text) => new TextEncoder().encode(text);
const joined = (...parts) => {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  parts.reduce((at, part) => (all.set(part, at), at + part.length), 0);
  return all;
};
const same = (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i]);
const numberOf = (bytes) => bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
const packed = (sum) => {
  unless(sum < LIMIT, "sum");
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, sum);
  return bytes;
};

export const toHex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
export const fromHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
export const digestOf = (text) => toHex(sha256(ascii(text)));

// The reference of a member number under a receipt's secret: 32 hex digits.
export function referenceOf(secret, member) {
  return toHex(sha256(joined(ascii("floordraw/1/ref\n"), fromHex(secret), ascii(member.normalize("NFC")))).slice(0, REF));
}

function decoded(text) {
  unless(text.startsWith("FD1:"), "prefix");
  const body = text.slice(4);
  unless(body.length <= Math.ceil((MOST * 4) / 3) && /^[A-Za-z0-9_-]*$/.test(body), "letters");
  unless(body.length % 4 !== 1, "cut");
  const bytes = new Uint8Array(Math.floor((body.length * 3) / 4));
  let bits = 0;
  let held = 0;
  let at = 0;
  for (const letter of body) {
    bits = (bits << 6) | LETTERS.indexOf(letter);
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes[at++] = bits >> held;
      bits &= (1 << held) - 1;
    }
  }
  unless(bits === 0, "bits");
  return bytes;
}

// A proof's parts, not yet checked: {root, leaf, count, data, siblings}.
function read(text) {
  const raw = decoded(text);
  unless(raw.length >= HEADER, "cut");
  const view = new DataView(raw.buffer);
  const length = view.getUint16(40);
  const rest = raw.subarray(HEADER + length);
  unless(raw.length >= HEADER + length && rest.length % NODE === 0, "cut");
  const siblings = [];
  for (let at = 0; at < rest.length; at += NODE) siblings.push(rest.subarray(at, at + NODE));
  return { root: raw.subarray(0, 32), leaf: view.getUint32(32), count: view.getUint32(36), data: raw.subarray(HEADER, HEADER + length), siblings };
}

// For each level from the bottom the index of the other half, null where an odd last node goes up as it is.
function path(leaf, count) {
  const steps = [];
  for (let at = leaf, width = count; width > 1; at = Math.floor(at / 2), width = Math.ceil(width / 2)) {
    const other = at % 2 ? at - 1 : at + 1;
    steps.push(other < width ? { other, left: other < at } : null);
  }
  return steps;
}

function records(data) {
  const found = [];
  for (let at = 0; at < data.length; at += RECORD) {
    const ref = toHex(data.subarray(at, at + REF));
    const weight = numberOf(data.subarray(at + REF, at + RECORD));
    unless(found.length === 0 || found.at(-1).ref < ref, "order");
    unless(weight >= 1n && weight < LIMIT, "weight");
    found.push({ ref, weight });
  }
  return found;
}

// Up from the leaf to the root: the sum of all weights before the leaf, and of all.
function climbed({ root, leaf, count, data, siblings }, leafSum) {
  let node = joined(sha256(joined(Uint8Array.of(0), data)), packed(leafSum));
  let before = 0n;
  let total = leafSum;
  let used = 0;
  for (const step of path(leaf, count)) {
    if (step === null) continue;
    const other = siblings[used++];
    const sum = numberOf(other.subarray(32));
    total += sum;
    if (step.left) before += sum;
    const pair = step.left ? joined(other, node) : joined(node, other);
    node = joined(sha256(joined(Uint8Array.of(1), pair)), packed(total));
  }
  unless(same(node.subarray(0, 32), root), "climb");
  return { before, total };
}

// What holds of a proof by itself: {root, leaf, count, low, high (sizes of pool it can be of), total, ranges}; each range is
// {ref, weight, first, last}, tickets as BigInt, in the pool's order. Throws ProofFault.
export function readProof(text) {
  const proof = read(text);
  const { leaf, count, data, siblings } = proof;
  unless(count >= 1 && leaf < count, "leaf");
  const held = data.length / RECORD;
  const isLast = leaf === count - 1;
  unless(Number.isInteger(held) && held >= 1 && (isLast ? held <= LEAF_RECORDS : held === LEAF_RECORDS), "records");
  unless(siblings.length === path(leaf, count).filter((step) => step !== null).length, "siblings");
  const found = records(data);
  const { before, total } = climbed(proof, found.reduce((sum, one) => sum + one.weight, 0n));
  let first = before;
  const ranges = found.map(({ ref, weight }) => {
    const range = { ref, weight, first, last: first + weight - 1n };
    first += weight;
    return range;
  });
  const below = LEAF_RECORDS * (count - 1);
  const low = isLast ? below + held : below + 1;
  return { root: toHex(proof.root), leaf, count, low, high: isLast ? low : below + LEAF_RECORDS, total, ranges };
}

// The same against what was published of the pool: {root (hex), size, total (decimal text)}. Throws ProofFault.
export function checkProof(text, { root, size, total }) {
  const proof = readProof(text);
  unless(proof.root === root, "root");
  unless(Number.isSafeInteger(size) && proof.count === Math.ceil(size / LEAF_RECORDS), "leaves");
  unless(size >= proof.low && size <= proof.high, "records");
  unless(String(proof.total) === total, "total");
  return proof;
}

// Where a reference stands in a pool, from the proofs that were given of it: {found: its range} where it is in it; else
// {below, above}: the references right beside its place (null at an end), which leave none for it. Throws ProofFault.
export function standing(ref, proofs, pool) {
  unless(proofs.length >= 1 && proofs.length <= 2, "elsewhere");
  const parts = proofs.map((text) => checkProof(text, pool));
  if (parts.length === 2) unless(parts[1].leaf === parts[0].leaf + 1, "elsewhere");
  const ranges = parts.flatMap((part) => part.ranges);
  unless(ranges.every((one, i) => i === 0 || ranges[i - 1].ref < one.ref), "order");
  const found = ranges.find((one) => one.ref === ref);
  if (found) return { found };
  const below = ranges.findLast((one) => one.ref < ref) ?? null;
  const above = ranges.find((one) => one.ref > ref) ?? null;
  // With nothing beside it on one side it must be that end of the pool: its first part, or its last.
  unless(below !== null || parts[0].leaf === 0, "elsewhere");
  unless(above !== null || parts.at(-1).leaf === parts.at(-1).count - 1, "elsewhere");
  return { below: below?.ref ?? null, above: above?.ref ?? null };
}
