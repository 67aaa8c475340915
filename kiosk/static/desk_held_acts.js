// What is done with a held prize: drawn on behalf, moved, the guest reached, handed over, given back.
import { el, say, setText } from "../../web_display/static/words.js";
import { wireAct } from "./desk_act.js";
import { cents, fault, fillOptions } from "./desk_form.js";
import { tellDone } from "./desk_frame.js";
import { post } from "./desk_send.js";
import { SignSheet } from "./desk_sign.js";
import { who } from "./desk_who.js";
import { me } from "./signed_words.js";

const dialog = (name) => document.querySelector(`dialog[data-act="${name}"]`);
const keyOf = ({ draw, ordinal }) => `${draw} c${ordinal}`;
const of = ({ draw, ordinal }) => ({ draw, ordinal });
const CLAIM_DESK = "customer_services";
let snapshot = null;
let changed = () => {};

export function fillHeldActs(message, whenChanged) {
  snapshot = message;
  changed = whenChanged;
}

// Whether the rules let this role do it, as the server has them; the server judges by itself.
const mayI = (what) => (snapshot.roles[what] ?? []).includes(me.role);

function finished(sentence) {
  tellDone(sentence);
  changed();
}

wireAct("draw", {
  path: "/held/draw",
  key: keyOf,
  title: (prize) => say("draw_title", prize),
  what: () => say("draw_what"),
  needs: [["pocket", "need_pocket"]],
  faults: { SS_ENVELOPE_USED: "pocket", X_NO_SUCH_POCKET: "pocket", X_VALUE_WRONG: "pocket" },
  body: (prize, { pocket }) => ({ ...of(prize), pocket: pocket.value.trim() }),
  done: (_prize, { pocket }) => finished(say("draw_done", { pocket })),
});

wireAct("move", {
  path: "/held/move",
  key: keyOf,
  title: (prize) => say("move_title", prize),
  what: (prize) => say("move_what", { place: prize.custody_text }),
  needs: [["to", "need_to"], ["hands", "need_hands"]],
  opens: (prize, { elements }) => {
    fillOptions(elements.to, prize.moves_to.map((to) => [to, snapshot.desk_names[to] ?? to]));
    if (prize.moves_to.length === 1) elements.to.value = prize.moves_to[0];
    fillOptions(elements.hands, ["give", "receive"].map((hands) => [hands, say(`hands_${hands}`)]));
    if (!elements.hands.value) elements.hands.value = mayI(`keep.${prize.custody}`) ? "give" : "receive";
  },
  // Whoever is signed in is one of the two, the second person the other.
  body: (prize, { to, hands, second }) => {
    const other = second.value.trim().toLowerCase();
    const [given, received] = hands.value === "give" ? [me.id, other] : [other, me.id];
    return { ...of(prize), to: to.value, given_by: given, received_by: received };
  },
  done: () => finished(say("move_done")),
});

// -- reaching the guest: the numbers are fetched when they are wanted, and gone when the form is -------------------

const contact = dialog("contact");
const numbers = contact.querySelector(".numbers");
const showNumbers = contact.querySelector("[data-show-contact]");
let reaching = null;

function forget() {
  numbers.replaceChildren();
  contact.querySelector(".contact .quiet").hidden = true;
  showNumbers.hidden = false;
}

wireAct("contact", {
  path: "/held/contact",
  key: keyOf,
  title: (prize) => say("contact_title", prize),
  what: (prize) => prize.contact_text,
  needs: [["channel", "need_channel"], ["outcome", "need_outcome"]],
  opens: (prize) => {
    reaching = prize;
    forget();
  },
  body: (prize, { channel, outcome }) => ({
    ...of(prize),
    channel: channel.value,
    outcome: outcome.value,
  }),
  done: () => finished(say("contact_done")),
});
contact.addEventListener("close", forget);
showNumbers.addEventListener("click", async () => {
  const answer = await post("/held/reach", of(reaching));
  const quiet = contact.querySelector(".contact .quiet");
  quiet.hidden = false;
  if (!answer.ok) {
    setText(quiet, answer.sentence);
    return;
  }
  showNumbers.hidden = true;
  const known = [answer.phone, answer.email].filter(Boolean);
  setText(quiet, known.length ? say("contact_of") : say("contact_none"));
  numbers.replaceChildren(...known.map((number) => el("li", "", el("b", "", number))));
});

// -- handing over -----------------------------------------------------------------------------------------------------

const hand = dialog("hand_over");
const sheet = new SignSheet(hand.querySelector(".paper"), () => {
  fault(hand, "signature", "");
  handing.refresh();
});

const handing = wireAct("hand_over", {
  path: "/held/hand_over",
  key: keyOf,
  title: (prize) => say("hand_title", prize),
  what: (prize) => {
    const what = say("hand_what", { guest: prize.guest, date: prize.claim_by_text });
    return who() && who().desk !== CLAIM_DESK ? `${what} ${say("hand_wrong_desk")}` : what;
  },
  needs: [["in_person", "need_person"], ["id_type", "need_id_type"], ["id_number", "need_id"]],
  more: (_prize, { amount }) => [
    ...(cents(amount.value) === null ? [["amount", say("need_amount")]] : []),
    ...(sheet.empty ? [["signature", say("need_sign")]] : []),
  ],
  faults: {
    SS_NOT_TRANSFERABLE: "in_person",
    SS_ID_REQUIRED: "id_number",
    SS_REGISTER_ID_REQUIRED: "id_number",
    SS_ENVELOPE_AMOUNT_OUT_OF_RANGE: "amount",
    SS_SIGNATURE_REQUIRED: "signature",
  },
  opens: (prize, form) => {
    setText(form.querySelector(".paper .sentence"), say("signs_received", prize));
    setText(form.querySelector(".paper .date"), snapshot.today_text);
  },
  clears: () => sheet.clear(),
  body: (prize, fields) => ({
    ...of(prize),
    desk: who().desk,
    in_person: fields.in_person.checked,
    id_type: fields.id_type.value,
    id_number: fields.id_number.value.trim(),
    amount: cents(fields.amount.value),
    signature: sheet.drawn(),
  }),
  done: () => finished(say("hand_done")),
});

wireAct("give_back", {
  path: "/held/give_back",
  key: keyOf,
  title: (prize) => say("return_title", prize),
  what: (prize) => say("return_what", { date: prize.claim_by_text }),
  needs: [],
  body: of,
  done: (prize) => finished(say("return_done", prize)),
});
