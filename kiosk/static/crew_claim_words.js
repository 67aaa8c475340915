// A claim in words: its state in the queue, who may go on with it, an amount of money.
import { say } from "../../web_display/static/words.js";

const NO_BREAK = "\u00a0";

// "R 1 000" of 100000 cents.
export function money(cents, prefix) {
  const [whole, part] = [Math.floor(cents / 100), cents % 100];
  const figures = String(whole).replace(/\B(?=(\d{3})+$)/g, NO_BREAK);
  return `${prefix}${figures}${part ? `.${String(part).padStart(2, "0")}` : ""}`;
}

// "41 s", "3 min" since an instant.
export function sinceText(at, now) {
  const seconds = Math.max(0, Math.floor((now - at) / 1000));
  return seconds < 120 ? say("seconds_since", { n: seconds }) : say("minutes_since", { n: Math.floor(seconds / 60) });
}

// Waits for somebody to take it, a guest perhaps beside it; what is called or decided at the stage does not.
export const isFree = (claim) => !claim.taken_by && ["selected", "found", "checked", "envelope"].includes(claim.stage);

// Whoever took it goes on with it. A guest at the stage is checked by whoever is there.
export function mayWork(claim, me) {
  const atStage = claim.stage === "presented" || (claim.announced_at !== null && ["checked", "envelope"].includes(claim.stage));
  return atStage || (claim.taken_by !== "" && claim.taken_by === me);
}

export const needsWork = (claim) => ["taken", "found", "presented", "checked", "envelope"].includes(claim.stage);

const MARKS = {
  taken: "wait", not_there: "wait", announced: "run", review: "late",
  found: "won", presented: "late", checked: "won", envelope: "won", selected: "wait",
};

// {mark, words} of where a claim stands.
export function stateOf(claim, now) {
  const name = claim.taken_name || say("nobody");
  const since = claim.stage === "taken" ? claim.taken_at : claim.arrived_at;
  return {
    mark: MARKS[claim.stage] ?? "wait",
    words: say(`state_${claim.stage}`, { name, pocket: claim.pocket, since: sinceText(since ?? claim.opened_at, now) }),
  };
}

// Under the position: where it is, or who was not there.
export function whereOf(claim) {
  const wasAway = ["not_there", "announced", "review"].includes(claim.stage) && claim.guest;
  return wasAway ? say("was_not_there", { name: calledOf(claim.guest) }) : claim.where;
}

export const calledOf = (guest) => guest.called || say("card_ends", { last4: guest.last4 });
export const nameOf = (guest) => guest.name || say("card_ends", { last4: guest.last4 });
