// The check list: name, card, device or stage, rightful owner, and by what the guest was identified. All are asked for.
import { el, say, setText } from "../../web_display/static/words.js";
import { nameOf } from "./crew_claim_words.js";
import { heading } from "./crew_steps.js";
import { holdButton } from "./press_hold.js";

const PAPERS = ["sa_id", "passport", "drivers_licence", "patron_manager"];

export function checkStep(tablet, claim) {
  const where = claim.presented_at !== null || claim.announced_at !== null ? "stage" : "device";
  const { guest, position, place } = claim;
  const facts = { name: nameOf(guest), last4: guest.last4, position, place };
  const checks = ["name", "card", where, "owner"];
  const boxes = checks.map((check) => tick(check, say(`check_${check}`, facts)));
  const papers = PAPERS.map((paper) => choice(paper));
  const missing = el("p", "missing");
  missing.id = "missing";
  const right = el("button", "btn do", say("check"));
  right.type = "button";
  right.setAttribute("aria-describedby", "missing");
  const lacks = () => {
    const left = boxes.filter((box) => !box.input.checked).length;
    const paper = papers.find((one) => one.input.checked)?.input.value;
    if (left) return say("check_missing", { n: left });
    return paper ? "" : say("paper_missing");
  };
  const look = () => {
    const lack = lacks();
    setText(missing, lack);
    right.setAttribute("aria-disabled", String(Boolean(lack)));
  };
  right.addEventListener("click", () => {
    if (lacks()) return [...boxes, ...papers].find((one) => !one.input.checked).input.focus();
    tablet.press("check", claim, { checks, identification: papers.find((one) => one.input.checked).input.value });
  });
  const list = el("fieldset", "checks", el("legend", "unseen", say("check_legend")), ...boxes.map((box) => box.node));
  const ids = el("fieldset", "papers", el("legend", "", say("paper_legend")), ...papers.map((one) => one.node));
  for (const set of [list, ids]) set.addEventListener("change", look);
  look();
  const wrong = el("div", "wrong", el("h2", "", say("wrong")), ...["card", "owner"].map((reason) => wrongButton(tablet, claim, reason)));
  const go = el("div", "go-on", right, missing);
  return { node: el("section", "work checking", heading(say("check_title", facts)), list, ids, go, wrong) };
}

function wrongButton(tablet, claim, reason) {
  const ask = { title: say(`ask_${reason}`), what: say("ask_wrong_what"), verb: say(`wrong_${reason}`) };
  return holdButton(say(`wrong_${reason}`), say(`wrong_${reason}_then`), ask, () => tablet.press("mismatch", claim, { reason }));
}

function tick(name, words) {
  const input = el("input");
  input.type = "checkbox";
  input.name = name;
  return { input, node: el("label", "check", input, el("span", "", words)) };
}

function choice(paper) {
  const input = el("input");
  input.type = "radio";
  input.name = "identification";
  input.value = paper;
  return { input, node: el("label", "check", input, el("span", "", say(`paper_${paper}`))) };
}
