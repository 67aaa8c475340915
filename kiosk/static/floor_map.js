// The floor as the positions list draws it: the banks, the one to go to, and the walk from where the tablet is.
import { el, say } from "../../web_display/static/words.js";
import { walk } from "./floor_map_walk.js";
import { recall, remember } from "./press_store.js";

const SVG = "http://www.w3.org/2000/svg";
const SHAPE = 0.82; // the map may be at most this much wider or higher than a square of it
const AIR = 0.06;
const NEAR = 15; // whoever stands this close, in hundredths of the map, sees the target's name alone

export class FloorMap {
  #base;
  #floor = null;
  #asked = "";
  #changed;

  constructor(base, changed) {
    this.#base = base;
    this.#changed = changed;
    this.#floor = recall(`${base}.floor`);
  }

  // Fetch the map of this version, once; the kept one serves until then.
  async want(version) {
    if (!version || version === this.#floor?.version || version === this.#asked) return;
    this.#asked = version;
    try {
      const answer = await fetch(`${this.#base}/floor.json`);
      if (!answer.ok) throw new Error("no map");
      this.#floor = await answer.json();
      remember(`${this.#base}.floor`, this.#floor);
      this.#changed();
    } catch {
      this.#asked = "";
    }
  }

  get version() {
    return this.#floor?.version ?? "";
  }

  // Where this tablet's last press at a machine was made, or where the crew said they stand.
  get here() {
    return recall(`${this.#base}.here`);
  }

  stand(at) {
    remember(`${this.#base}.here`, at);
  }

  // The picture for a claim, or a sentence when the list has no coordinates.
  picture(claim) {
    const banks = this.#floor?.banks ?? [];
    if (claim.x === null || claim.y === null || !banks.length) {
      return el("div", "map none", el("p", "quiet", say("map_none")), el("p", "", claim.where));
    }
    const target = { x: claim.x, y: claim.y };
    const shown = banks.filter((bank) => bank.zone === claim.zone || this.#stands(bank));
    const from = this.#inside(shown) ? this.here : null;
    const box = frame(shown, target);
    const svg = make("svg", { class: "plan", viewBox: viewBox(box), role: "img" });
    const unit = Math.max(box.east - box.west, box.north - box.south) / 100;
    svg.append(...shown.map((bank) => this.#bank(bank, claim, unit)));
    if (from) svg.append(path(walk(box, shown, from, target), unit), dot(from, unit * 1.9, "you"));
    svg.append(dot(target, unit * 1.5, "goal"));
    if (from && Math.hypot(from.x - target.x, from.y - target.y) > unit * NEAR) svg.append(label(say("you"), from.x + unit * 3, from.y + unit * 2, unit, "lab"));
    const own = shown.find((bank) => isOwn(bank, claim));
    if (own) svg.append(label(own.name, own.west - unit * 0.9, own.north + unit * 2, unit, "lab"));
    const words = from ? say("map_walk", { where: claim.where }) : say("map_says", { where: claim.where });
    svg.setAttribute("aria-label", words);
    svg.addEventListener("click", (event) => this.#pointed(svg, event));
    return el("div", "map", svg, el("p", "quiet", say(from ? "map_moved" : "map_tap")), this.#choice(banks));
  }

  #stands(bank) {
    const here = this.here;
    return here !== null && here.zone === bank.zone;
  }

  #inside(banks) {
    return this.here !== null && banks.some((bank) => bank.zone === this.here.zone);
  }

  #bank(bank, claim, unit) {
    const pad = unit * 0.9;
    const own = isOwn(bank, claim);
    const [width, height] = [bank.east - bank.west + 2 * pad, bank.north - bank.south + 2 * pad];
    const node = make("rect", { class: own ? "bank own" : "bank", x: bank.west - pad, y: -bank.north - pad, width, height });
    const title = make("title", {});
    title.textContent = bank.name;
    node.append(title);
    return node;
  }

  #pointed(svg, event) {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const at = { x: point.x, y: -point.y };
    const near = this.#floor.banks.toSorted((a, b) => apart(a, at) - apart(b, at))[0];
    this.stand({ ...at, zone: near.zone });
    this.#changed();
  }

  // The same for who cannot point: the banks by name.
  #choice(banks) {
    const select = el("select");
    select.append(new Option(say("map_where"), ""));
    for (const zone of new Set(banks.map((bank) => bank.zone))) {
      const group = el("optgroup");
      const its = banks.filter((bank) => bank.zone === zone && bank.name);
      group.label = this.#floor.zones[zone] ?? zone;
      group.append(...its.map((bank) => new Option(bank.name, `${zone}/${bank.name}`)));
      select.append(group);
    }
    select.addEventListener("change", () => {
      const bank = banks.find((one) => `${one.zone}/${one.name}` === select.value);
      if (!bank) return;
      this.stand({ x: (bank.west + bank.east) / 2, y: bank.south - 1, zone: bank.zone });
      this.#changed();
    });
    return el("label", "stand", el("span", "unseen", say("map_where")), select);
  }
}

const isOwn = (bank, claim) => bank.name !== "" && bank.name === claim.bank && bank.zone === claim.zone;
const apart = (bank, at) => Math.hypot((bank.west + bank.east) / 2 - at.x, (bank.south + bank.north) / 2 - at.y);

// Everything that is shown, with air around it and no narrower or flatter than SHAPE.
function frame(banks, target) {
  const west = Math.min(target.x, ...banks.map((bank) => bank.west));
  const east = Math.max(target.x, ...banks.map((bank) => bank.east));
  const south = Math.min(target.y, ...banks.map((bank) => bank.south));
  const north = Math.max(target.y, ...banks.map((bank) => bank.north));
  const [width, height] = [east - west || 1, north - south || 1];
  const more = Math.max(width, height) * AIR;
  const [dx, dy] = [Math.max(0, height * SHAPE - width) / 2 + more, Math.max(0, width * SHAPE - height) / 2 + more];
  return { west: west - dx, east: east + dx, south: south - dy, north: north + dy };
}

// North is up: y of the list grows northwards, y of a picture downwards.
function viewBox({ west, south, east, north }) {
  return `${west} ${-north} ${east - west} ${north - south}`;
}

function path(points, unit) {
  const d = points.map(({ x, y }, n) => `${n ? "L" : "M"}${x} ${-y}`).join("");
  return make("path", { class: "walk", d, "stroke-width": unit * 1.1, "stroke-dasharray": `${unit * 0.1} ${unit * 2.2}` });
}

function dot({ x, y }, r, name) {
  return make("circle", { class: name, cx: x, cy: -y, r });
}

function label(words, x, y, unit, name) {
  const node = make("text", { class: name, x, y: -y, "font-size": unit * 5 });
  node.textContent = words;
  return node;
}

function make(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}
