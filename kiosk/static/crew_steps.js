// What is done with a claim, a step a page: who is at the machine, and what the tablet shows while the stage has it.
import { makeRing } from "../../web_display/static/ring.js";
import { el, say, setText } from "../../web_display/static/words.js";
import { calledOf, sinceText } from "./crew_claim_words.js";
import { decideButton, holdButton } from "./press_hold.js";
import { setClock } from "./press_ring.js";

export function heading(words) {
  const made = el("h1", "", words);
  made.tabIndex = -1;
  return made;
}

// Three answers of one weight; the one that costs the guest the prize is held, and stands last.
export function machineStep(tablet, claim) {
  const { position, other_loses: loses } = claim;
  const press = (verb) => () => tablet.press(verb, claim);
  const ask = { title: say("ask_other", { position }), what: say(loses ? "ask_other_what" : "ask_other_called"), verb: say("other_person") };
  const answers = el(
    "div",
    "answers",
    decideButton("won", say("found"), say("found_then"), press("found")),
    decideButton("wait", say("not_there"), say("not_there_then"), press("not_there")),
    holdButton(say("other_person"), say(loses ? "other_person_then" : "other_person_called"), ask, press("other_person")),
  );
  return { node: el("section", "work", heading(say("who_is_at", { position })), answers) };
}

// Called, counting or decided elsewhere: nothing to press here.
export function stageStep(tablet, claim) {
  const head = heading("");
  const said = el("p", "said");
  const ring = makeRing();
  const node = el("section", "work calm", head, ring, said, el("p", "quiet", say("stage_has_it", { place: claim.place })));
  const update = (now_claim) => {
    const name = now_claim.guest ? calledOf(now_claim.guest) : now_claim.position;
    setText(head, say(`stage_${now_claim.stage}`, { name, place: now_claim.place }));
    ring.hidden = now_claim.stage !== "announced" || now_claim.deadline_at === null;
  };
  const tick = (now_claim, now) => {
    if (!ring.hidden) setClock(ring, now_claim, now);
    const since = sinceText(now_claim.arrived_at ?? now_claim.opened_at, now);
    setText(said, now_claim.stage === "not_there" ? say("not_there_since", { since }) : "");
  };
  update(claim);
  return { node, update, tick };
}

// What became of it: paid, or no prize, or somebody else's by now.
export function doneStep(tablet, { kind, title, what, code = "" }) {
  const back = el("button", "btn do", say("back"));
  back.type = "button";
  back.addEventListener("click", () => tablet.close());
  const words = el("p", "said", what, code ? " " : "", code ? el("small", "", code) : "");
  return { node: el("section", `work outcome ${kind}`, heading(title), words, back) };
}
