// What is done to one entry or one held prize: a form in a dialog. What was typed stays until it is done or about another.
import { say } from "../../web_display/static/words.js";
import { clearFaults, wireForm } from "./desk_form.js";
import { whenWhoChanges, who } from "./desk_who.js";

const acts = new Map();

// `needs` = [[field, word]] that must be filled; `more` what else is missing; `opens` prepares the form for its thing.
export function wireAct(name, { path, key, title, what, needs, more = () => [], faults = {}, body, done, opens, clears }) {
  const dialog = document.querySelector(`dialog[data-act="${name}"]`);
  const form = dialog.querySelector("form");
  const fields = form.elements;
  let about = null;

  const wired = wireForm(form, {
    path,
    faults,
    missing: () => {
      if (!about) return [];
      const open = needs.filter(([field]) => !filled(fields[field])).map(([field, word]) => [field, say(word)]);
      return [...(who() ? [] : [["", say("need_who")]]), ...open, ...more(about, fields)];
    },
    body: () => body(about, fields),
    done: (answer) => {
      dialog.close();
      clear();
      done(about, answer);
      about = null;
    },
  });

  function clear() {
    form.reset();
    clears?.();
    clearFaults(form);
  }

  acts.set(name, (thing) => {
    if (about && key(about) !== key(thing)) clear();
    about = thing;
    dialog.querySelector("h2").textContent = title(thing);
    dialog.querySelector(".what").textContent = what(thing);
    opens?.(thing, form);
    wired.refresh();
    dialog.showModal();
  });
  form.querySelector("[data-back]").addEventListener("click", () => dialog.close());
  whenWhoChanges(wired.refresh);
  return wired;
}

function filled(field) {
  return field.type === "checkbox" ? field.checked : Boolean(field.value.trim());
}

export function openAct(name, thing) {
  acts.get(name)(thing);
}
