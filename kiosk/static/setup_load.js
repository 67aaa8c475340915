// A file is chosen, checked at once, and loaded when it has no fault; each fault with its line and what stands there.
import { mark } from "../../web_display/static/marks.js";
import { el, say, setText } from "../../web_display/static/words.js";
import { postFile } from "./setup_send.js";

const find = (id) => document.getElementById(id);
let chosen = null;
let loaded = () => {};

export function onLoaded(then) {
  loaded = then;
}

async function check() {
  const [file] = find("file").files;
  chosen = null;
  find("load").hidden = true;
  find("faults").replaceChildren();
  if (!file) return setText(find("found"), "");
  setText(find("found"), say("checking", { name: file.name }));
  const bytes = await file.arrayBuffer();
  const answer = await postFile("/check", bytes);
  if (!answer.ok) return found("late", answer.sentence);
  if (answer.faults.length) {
    found("late", say("faults", { n: answer.faults.length, name: file.name }));
    find("faults").replaceChildren(...answer.faults.map(fault));
    return undefined;
  }
  chosen = bytes;
  find("load").hidden = answer.known;
  found("won", say(answer.known ? "sound_known" : "sound", { name: file.name, ...answer.book }));
  if (answer.known) loaded(answer.sha256);
  return undefined;
}

function found(kind, sentence) {
  find("found").className = `found ${kind === "late" ? "bad" : ""}`;
  find("found").replaceChildren(mark(kind), el("span", "", sentence));
}

function fault({ line, place, sentence, text, code }) {
  return el(
    "li",
    "",
    el("b", "where", line ? say("line", { n: line, place }) : place),
    el("div", "", text ? el("code", "", text) : null, el("p", "", sentence), el("small", "", code)),
  );
}

find("file").addEventListener("change", check);
find("load").addEventListener("click", async () => {
  if (!chosen) return;
  const answer = await postFile("/load", chosen);
  if (!answer.ok) return found("late", answer.sentence);
  chosen = null;
  find("file").value = "";
  find("load").hidden = true;
  setText(find("found"), "");
  loaded(answer.sha256, true);
  return undefined;
});
