// Forms in dialogs, each about one thing of a list: a person, a device, a line of the roster.
import { clearFaults, wireForm } from "./desk_form.js";

const opens = new Map();

export function openForm(name, about) {
  opens.get(name)(about);
}

// The form of one dialog. `missing(fields)` what is still needed; `opened(fields)` prepares it.
export function wire(name, { path, title, what, missing = () => [], body, after, opened = () => {}, faults = {} }) {
  const dialog = document.querySelector(`dialog[data-act="${name}"]`);
  const form = dialog.querySelector("form");
  let about = {};
  const wired = wireForm(form, {
    path,
    faults,
    missing: () => missing(form.elements),
    body: () => body(about, form.elements),
    done: (answer) => {
      dialog.close();
      after(about, answer, form.elements);
    },
  });
  form.querySelector("[data-back]").addEventListener("click", () => dialog.close());
  opens.set(name, (thing) => {
    about = thing;
    form.reset();
    clearFaults(form);
    dialog.querySelector("h2").textContent = title(thing);
    dialog.querySelector(".what").textContent = what(thing);
    opened(form.elements, thing);
    wired.refresh();
    dialog.showModal();
  });
  return form;
}
