// A sheet that the guest signs on the glass, and what was drawn, as strokes of points.
import SignaturePad from "signature_pad";

export class SignSheet {
  #pad;
  #canvas;
  #size = { width: 0, height: 0 };
  #drawing = false;

  constructor(sheet, changed) {
    this.#canvas = sheet.querySelector("canvas");
    this.#pad = new SignaturePad(this.#canvas, { minWidth: 1.2, maxWidth: 3.2, penColor: getComputedStyle(sheet).color });
    this.#pad.addEventListener("beginStroke", () => (this.#drawing = true));
    this.#pad.addEventListener("endStroke", () => {
      this.#drawing = false;
      this.#fit();
      changed();
    });
    sheet.closest("form").querySelector("[data-clear-sign]").addEventListener("click", () => {
      this.clear();
      changed();
    });
    new ResizeObserver(() => this.#fit()).observe(this.#canvas);
  }

  get empty() {
    return this.#pad.isEmpty();
  }

  clear() {
    this.#pad.clear();
  }

  // {width, height, strokes: [[[x, y], ...], ...]} in whole pixels of the page.
  drawn() {
    const strokes = this.#pad.toData().map(({ points }) => points.map(({ x, y }) => [Math.round(x), Math.round(y)]));
    return { ...this.#size, strokes };
  }

  // A turned or resized window must not lose what was signed; nor the stroke that is being drawn, so that one is waited for.
  #fit() {
    if (this.#drawing) return;
    const [width, height] = [this.#canvas.clientWidth, this.#canvas.clientHeight];
    if (!width || !height || (width === this.#size.width && height === this.#size.height)) return;
    const across = this.#size.width ? width / this.#size.width : 1;
    const down = this.#size.height ? height / this.#size.height : 1;
    const drawn = this.#pad.toData().map((stroke) => ({
      ...stroke,
      points: stroke.points.map((point) => ({ ...point, x: point.x * across, y: point.y * down })),
    }));
    const ratio = Math.max(1, devicePixelRatio);
    this.#canvas.width = width * ratio;
    this.#canvas.height = height * ratio;
    this.#canvas.getContext("2d").scale(ratio, ratio);
    this.#size = { width, height };
    this.#pad.clear();
    this.#pad.fromData(drawn);
  }
}
