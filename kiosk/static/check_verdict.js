// What a guest's receipt comes to in one draw, worked out from what the house sent: the record whose digest was logged,
// and the proofs. No element of the page here, no question to the server.
import { checkProof, digestOf, ProofFault, standing } from "./check_arithmetic.js";
import { opensCommitment, publicOf, redone } from "./witness_arithmetic.js";

// The draw by itself: {record, digests (whether the text is the one that was logged), opens, wrong: ordinals}.
export function drawChecked(answer) {
  const record = JSON.parse(answer.record);
  const { terms, house_seed: seed } = record;
  const digests = digestOf(answer.record) === answer.digest && terms.draw === answer.id;
  const opens = opensCommitment({ id: terms.draw, commitment: terms.commitment, house_seed: seed, rehearsal: terms.rehearsal });
  const pools = new Map(record.pools.map((pool) => [pool.id, pool]));
  const wrong = record.selections.filter((made) => !follows(record, pools.get(made.pool), made)).map((made) => made.ordinal);
  return { record, digests, opens, wrong };
}

function follows(record, pool, made) {
  if (!pool || !/^[1-9][0-9]{0,18}$/.test(pool.total)) return false;
  const given = publicOf(record.public.slice(0, made.public_count).map((one) => one.text));
  const { ticket } = redone(record.terms.draw, record.house_seed, { ordinal: made.ordinal, root: pool.root, size: pool.size, total: pool.total, public: given });
  return ticket === made.ticket;
}

// A row for each selection: {made, pool, state: won|in|out|broken|missing, fault, place}; `place` as `standing` gives it.
export function rowsOf(record, ref, given) {
  const pools = new Map(record.pools.map((pool) => [pool.id, pool]));
  const proofs = new Map(given.map((one) => [one.id, one.proofs]));
  return record.selections.map((made) => row(made, pools.get(made.pool), ref, proofs.get(made.pool) ?? []));
}

function row(made, pool, ref, proofs) {
  if (proofs.length === 0) return { made, pool, state: "missing" };
  try {
    const place = standing(ref, proofs, pool);
    return { made, pool, place, state: stateOf(made, place, ref) };
  } catch (fault) {
    if (!(fault instanceof ProofFault)) throw fault;
    return { made, pool, state: "broken", fault };
  }
}

function stateOf(made, { found }, ref) {
  const drawn = BigInt(made.ticket);
  const theirs = Boolean(found) && drawn >= found.first && drawn <= found.last;
  if (theirs !== (made.ref === ref)) throw new ProofFault("selected");
  if (theirs) return "won";
  return found ? "in" : "out";
}

// Whether a proof is of a pool as published.
export function fits(text, pool) {
  try {
    checkProof(text, pool);
    return true;
  } catch (fault) {
    if (!(fault instanceof ProofFault)) throw fault;
    return false;
  }
}
