// Whom to announce: the oldest, the sentence in large type, the name and the single digits marked in it.
import { mark } from "../../web_display/static/marks.js";
import { el, say, setText } from "../../web_display/static/words.js";
import { timeOf } from "./press_words.js";

const SMALLEST = 0.5;
const find = (name) => document.querySelector(`.call ${name}`);

export class Calls {
  #stage;
  #calls = [];
  #call = null;

  constructor(stage) {
    this.#stage = stage;
    const fits = () => fit(find("h1"), find(".words"));
    new ResizeObserver(fits).observe(find(".words"));
    document.fonts.ready.then(fits);
    find(".announced").addEventListener("click", () => this.#call && stage.press("announce", this.#call, nameOf(this.#call)));
  }

  show(calls) {
    this.#calls = calls;
    const waiting = calls.filter((call) => this.#stage.pending(call.key)?.late);
    const open = calls.filter((call) => !waiting.includes(call));
    const call = open[0] ?? null;
    if (call?.key !== this.#call?.key) scrollTo(0, 0);
    this.#call = call;
    find(".acts").hidden = !call;
    find(".announced").disabled = Boolean(call && this.#stage.pending(call.key));
    this.#fillSentence(call);
    this.#fillRest(open.slice(1), Boolean(call));
    this.#fillWaiting(waiting);
    fit(find("h1"), find(".words"));
  }

  #fillSentence(call) {
    const twin = find(".twin");
    twin.hidden = !call?.twin;
    if (call?.twin) fillOnce(twin, call.called + call.key, () => [mark("late"), el("span", "", say("twin", { name: call.called }))]);
    if (!call) {
      setText(find(".label"), "");
      fillOnce(find("h1"), "", () => [say("nobody_waits")]);
      find("h1").classList.add("empty");
      return;
    }
    find("h1").classList.remove("empty");
    setText(find(".label"), say(call.again ? "read_again" : "read_out"));
    fillOnce(find("h1"), JSON.stringify([call.key, call.called, call.place, call.seconds]), () => sentence(call));
    const how = [say("announced_then"), say("announced_starts", { n: call.seconds })];
    fillOnce(find(".how"), how.join(), () => [how[0], el("br"), how[1]]);
  }

  #fillRest(calls, isOne) {
    const rest = find(".nx");
    const key = `${isOne}${JSON.stringify(calls.map((call) => [call.key, call.twin]))}`;
    fillOnce(rest, key, () => {
      if (!calls.length) return isOne ? [say("nobody_else")] : [];
      const names = calls.map((call) => el("li", "", call.twin ? mark("late") : "", nameOf(call), call.twin ? el("span", "unseen", say("clock_twin")) : ""));
      return [el("span", "", say("next")), el("ol", "", ...names)];
    });
  }

  #fillWaiting(calls) {
    const line = find(".pending");
    line.hidden = !calls.length;
    const said = calls.map((call) => {
      const press = this.#stage.pending(call.key);
      return say("press_waits", { press: press.label, time: timeOf(this.#stage.link, press.pressedAt) });
    });
    fillOnce(line, said.join(" "), () => [mark("send"), el("span", "", said.join(" "))]);
  }

  tick() {
    // An answer that does not come: the next call may be made, the line says that this one waits.
    if (this.#call && this.#stage.pending(this.#call.key)?.late) this.show(this.#calls);
  }
}

const nameOf = ({ called, last4 }) => `${called} \u00b7\u00b7\u00b7${last4}`.trim();

// "Nomvula D., card ending 5, 5, 2, 0, please present yourself …": what must be got right is marked.
function sentence({ called, last4, place, seconds }) {
  const marked = { name: called, digits: [...last4].join(", ") };
  const words = say(called ? "sentence" : "sentence_no_name", { place, n: seconds });
  return words.split(/(\{name\},?|\{digits\},?)/).map((part) => {
    const [, name, comma] = /^\{(\w+)\}(,?)$/.exec(part) ?? [];
    return name ? el("mark", name, `${marked[name]}${comma}`) : part;
  });
}

// The button stays in sight: a long name makes the sentence smaller, down to what can still be read at arm's length.
function fit(head, frame) {
  let factor = 1;
  head.style.setProperty("--fit", "1");
  while (factor > SMALLEST && frame.scrollHeight > frame.clientHeight + 1) {
    factor -= 0.05;
    head.style.setProperty("--fit", String(factor));
  }
}

function fillOnce(node, key, parts) {
  if (node.dataset.says === key) return;
  node.dataset.says = key;
  node.replaceChildren(...parts());
}
