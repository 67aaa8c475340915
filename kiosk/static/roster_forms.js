// A line of the roster in its dialog: who, which duty, where, from when until when.
import { say } from "../../web_display/static/words.js";
import { fillOptions } from "./desk_form.js";
import { wire } from "./dialog_forms.js";

const FITS = { crew: ["crew"], stage: ["stage"], desk: ["desk", "customer_services", "marketing"], manager: ["manager"] };
const FAULTS = {
  X_DUTY_NOT_FIT: "duty",
  X_NO_SUCH_ZONE: "zone",
  X_NO_SUCH_PERSON: "person",
  X_SHIFT_EMPTY: "until",
  X_SHIFT_OVER: "until",
  X_SHIFT_OVERLAPS: "person",
};
const NEEDED = ["duty", "person", "from", "until"];

// `shown()` is the day as it was last read.
export function wireForms({ done, shown }) {
  const name = (id) => shown().people.find((one) => one.id === id)?.name ?? id;
  wireLine("enter", {
    shown,
    title: () => say("enter"),
    what: () => say("enter_what"),
    body: () => ({}),
    after: (_line, _answer, fields) => done(say("entered", { name: name(fields.person.value) })),
  });
  wireLine("change", {
    shown,
    title: (line) => say("change_title", line),
    what: () => say("change_what"),
    body: ({ id }) => ({ instead_of: id }),
    after: () => done(say("changed")),
  });
  wire("remove", {
    path: "/console/roster/remove",
    title: (line) => say("remove_title", line),
    what: (line) => say("remove_what", { ...line, duty: say(`duty_${line.duty}`) }),
    body: ({ id }) => ({ day: shown().day, shift: id }),
    after: (line) => done(say("removed", line)),
  });
}

function wireLine(act, { shown, title, what, body, after }) {
  const mind = () => {
    const { duty, person, zone } = form.elements;
    const fit = FITS[duty.value] ?? [];
    fillOptions(person, shown().people.filter(({ role }) => fit.includes(role)).map(({ id, name }) => [id, name]));
    fillOptions(zone, shown().zones.map((one) => [one, one]));
    zone.options[0].textContent = say("whole_floor");
    form.querySelector(".zoned").hidden = duty.value !== "crew" || !shown().zones.length;
  };
  const form = wire(act, {
    path: "/console/roster/enter",
    title,
    what,
    faults: FAULTS,
    missing: (fields) => NEEDED.filter((one) => !fields[one].value).map((one) => [one, say(`need_${one}`)]),
    body: (line, fields) => ({
      ...body(line),
      day: shown().day,
      person: fields.person.value,
      duty: fields.duty.value,
      zone: fields.duty.value === "crew" ? fields.zone.value : "",
      from: fields.from.value,
      until: fields.until.value,
    }),
    opened: (fields, line) => {
      fields.duty.value = line.duty ?? "";
      mind();
      fields.person.value = line.person ?? "";
      fields.zone.value = line.zone ?? "";
      fields.from.value = line.from ?? "";
      fields.until.value = line.until ?? "";
    },
    after,
  });
  form.elements.duty.addEventListener("change", mind, { capture: true });
}
