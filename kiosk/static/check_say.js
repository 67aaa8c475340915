// Small ways to word figures, hashes and faults on the guest's page.
import { mark } from "../../web_display/static/marks.js";
import { el, say } from "../../web_display/static/words.js";
import { ProofFault } from "./check_arithmetic.js";

const NARROW = "\u00a0";

// 4213 as "4 213".
export const figure = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, NARROW);

// A hash in groups of eight, which may break; read as one word by whoever listens.
export const hash = (text) => el("span", "hash", (text.match(/.{1,8}/g) ?? []).join(" "));

// A mark and its words.
export const marked = (kind, className, ...words) => el("p", className, mark(kind), el("span", "", ...words));

// The instant of a record (text) as "14:18" in the house's zone.
export function clock(at, zone) {
  return new Intl.DateTimeFormat("en-ZA", { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: zone }).format(new Date(at));
}

// Why a proof does not hold, in words; what is no fault of a proof is thrown on.
export function faultOf(fault) {
  if (!(fault instanceof ProofFault)) throw fault;
  return say(`fault_${fault.message}`);
}
