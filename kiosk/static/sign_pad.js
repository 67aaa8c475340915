// A guest signs on the glass: strokes as points, so that they can be drawn again at any size.
import SignaturePad from "signature_pad";
import { el } from "../../web_display/static/words.js";

const LEAST_PX = 40; // less ink than this is a slip of the finger

export class SignPad {
  #pad;
  #canvas = el("canvas");
  #size = { width: 0, height: 0 };
  #watch;
  #drawing = false;
  node;

  // `name` and `day` stand under the line; `changed` is told after every stroke.
  constructor({ name, day, label, changed }) {
    const who = el("span", "who", el("span", "", name), el("span", "", day));
    this.node = el("div", "sign", el("span", "cross"), this.#canvas, who);
    this.#canvas.setAttribute("role", "img");
    this.#canvas.setAttribute("aria-label", label);
    this.#pad = new SignaturePad(this.#canvas, { minWidth: 1.2, maxWidth: 3, penColor: inkOf(), throttle: 8 });
    this.#pad.addEventListener("beginStroke", () => (this.#drawing = true));
    this.#pad.addEventListener("endStroke", () => {
      this.#drawing = false;
      this.#fit();
      changed();
    });
    this.#watch = new ResizeObserver(() => this.#fit());
    this.#watch.observe(this.node);
  }

  get isSigned() {
    return this.#strokes().reduce((ink, stroke) => ink + lengthOf(stroke), 0) >= LEAST_PX;
  }

  clear() {
    this.#pad.clear();
  }

  leave() {
    this.#watch.disconnect();
    this.#pad.off();
  }

  // {width, height, strokes: [[[x, y], ...], ...]} in whole CSS pixels.
  value() {
    return { ...this.#size, strokes: this.#strokes().map((stroke) => stroke.map(([x, y]) => [Math.round(x), Math.round(y)])) };
  }

  #strokes() {
    return this.#pad.toData().map((group) => group.points.map(({ x, y }) => [x, y]));
  }

  // A turned tablet has another canvas, and so has a page on which a line comes in: what was signed goes over to it. Never
  // in the middle of a stroke: the pad would lose it, and take no further one.
  #fit() {
    if (this.#drawing) return;
    const [width, height] = [this.node.clientWidth, this.node.clientHeight];
    if (!width || !height || (width === this.#size.width && height === this.#size.height)) return;
    const [across, down] = [width / (this.#size.width || width), height / (this.#size.height || height)];
    const data = this.#pad.toData().map((group) => ({
      ...group,
      points: group.points.map((point) => ({ ...point, x: point.x * across, y: point.y * down })),
    }));
    const sharp = Math.max(1, window.devicePixelRatio || 1);
    this.#canvas.width = width * sharp;
    this.#canvas.height = height * sharp;
    this.#canvas.getContext("2d").scale(sharp, sharp);
    this.#size = { width, height };
    this.#pad.clear();
    if (data.length) this.#pad.fromData(data);
  }
}

const inkOf = () => getComputedStyle(document.body).getPropertyValue("--ink").trim() || "black";

function lengthOf(stroke) {
  return stroke.slice(1).reduce((sum, [x, y], n) => sum + Math.hypot(x - stroke[n][0], y - stroke[n][1]), 0);
}
