// What a manager does on the people's page: forms in dialogs, and the code that is shown once.
import { say } from "../../web_display/static/words.js";
import { openForm, wire } from "./dialog_forms.js";

const TWO_FOR = new Set(["manager", "auditor", "witness"]);
const DATED = new Set(["auditor", "witness"]);
let done = () => {};
let timeText = String;

export function wireForms(told) {
  ({ done, timeText } = told);
  wireEnter();
  wireRole();
  wire("code", {
    path: "/console/people/code",
    title: (person) => say("code_title", person),
    what: () => say("code_what"),
    body: ({ id }) => ({ person: id }),
    after: (person, { code, until }) => {
      const once = say("code_once", { time: timeText(until), number: person.id });
      showCode({ title: say("code_is", person), code, once, how: say("code_how_person"), address: `${location.origin}/sign-in` });
    },
  });
  wire("end", {
    path: "/console/people/end",
    title: (person) => say("end_title", person),
    what: () => say("end_what"),
    body: ({ id }) => ({ person: id }),
    after: (person) => done(say("ended", person)),
  });
  wireOffer();
  wire("revoke", {
    path: "/console/devices/revoke",
    title: (device) => say("revoke_title", device),
    what: () => say("revoke_what"),
    body: ({ id }) => ({ device: id }),
    after: (device) => done(say("revoked", device)),
  });
  for (const button of document.querySelectorAll("[data-open]")) button.addEventListener("click", () => openForm(button.dataset.open, {}));
}

// -- people -----------------------------------------------------------------------------------------------------------

// The part for a second person is there where the role asks for one.
function mindRole(form) {
  const mind = () => {
    const role = form.elements.role.value;
    form.querySelector(".needs-two").hidden = !TWO_FOR.has(role);
    const dated = form.querySelector(".dated");
    if (dated) dated.hidden = !DATED.has(role);
  };
  form.elements.role.addEventListener("change", mind, { capture: true });
  return mind;
}

const need = (fields, names) => names.filter((name) => !fields[name].value.trim()).map((name) => [name, say(`need_${name === "person" ? "number" : name}`)]);

function wireEnter() {
  let mind = () => {};
  const form = wire("enter", {
    path: "/console/people/enter",
    title: () => say("enter"),
    what: () => say("enter_what"),
    faults: { X_VALUE_WRONG: "person", X_ALREADY_DONE: "person" },
    missing: (fields) => need(fields, ["person", "name", "role"]),
    body: (_about, fields) => {
      const dated = DATED.has(fields.role.value) ? { from: fields.from.value, until: fields.until.value } : {};
      return { person: fields.person.value.trim().toLowerCase(), name: fields.name.value.trim(), role: fields.role.value, ...dated };
    },
    opened: () => mind(),
    after: (_about, _answer, fields) => {
      const person = { id: fields.person.value.trim().toLowerCase(), name: fields.name.value.trim() };
      done(say("entered", person));
      openForm("code", person);
    },
  });
  mind = mindRole(form);
}

function wireRole() {
  let mind = () => {};
  const form = wire("role", {
    path: "/console/people/role",
    title: (person) => say("role_title", person),
    what: () => say("role_what"),
    missing: (fields) => need(fields, ["role"]),
    body: ({ id }, { role }) => ({ person: id, role: role.value }),
    opened: (fields, person) => {
      fields.role.value = person.role;
      mind();
    },
    after: () => done(say("role_changed")),
  });
  mind = mindRole(form);
}

// -- devices ----------------------------------------------------------------------------------------------------------

function wireOffer() {
  const named = ({ kind, called, screen }) => (kind.value === "screen" ? screen.value : called.value.trim());
  const form = wire("offer", {
    path: "/console/devices/offer",
    title: () => say("offer"),
    what: () => say("offer_what"),
    missing: (fields) => need(fields, ["kind", fields.kind.value === "screen" ? "screen" : "called"]),
    faults: { X_NO_SUCH_SCREEN: "screen" },
    body: (_about, fields) => ({ kind: fields.kind.value, title: named(fields) }),
    opened: () => mind(),
    after: (_about, { code, until, address, qr }, fields) => {
      const once = say("code_once_device", { time: timeText(until) });
      showCode({ title: say("code_for_device", { title: named(fields) }), code, once, how: say("code_how"), address, qr });
    },
  });
  const mind = () => {
    const isScreen = form.elements.kind.value === "screen";
    form.querySelector(".screens").hidden = !isScreen;
    form.querySelector(".named").hidden = isScreen;
  };
  form.elements.kind.addEventListener("change", mind, { capture: true });
}

// -- a code -----------------------------------------------------------------------------------------------------------

const dialog = document.querySelector("dialog.the-code");

// In two fours, as it is read aloud. The picture has it, too: for a device with a camera.
function showCode({ title, code, once, how, address, qr = "" }) {
  const put = (name, text) => (dialog.querySelector(name).textContent = text);
  put("h2", title);
  put(".code", `${code.slice(0, 4)} ${code.slice(4)}`);
  put(".once", once);
  put(".how", how);
  put(".address", address);
  const picture = qr && new DOMParser().parseFromString(qr, "image/svg+xml").documentElement;
  dialog.querySelector(".qr").replaceChildren(...(picture ? [picture] : []));
  dialog.showModal();
  dialog.querySelector("h2").focus();
}

dialog?.querySelector("[data-print]").addEventListener("click", () => print());
dialog?.querySelector("[data-close]").addEventListener("click", () => dialog.close());
dialog?.addEventListener("close", () => {
  dialog.querySelector(".code").textContent = "";
  done("");
});
