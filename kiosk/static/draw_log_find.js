// "Why was this guest not in it?" The number stays in the field alone: in no address, no history, no storage.
import { el, say, setText } from "../../web_display/static/words.js";
import { ask } from "./draw_log_send.js";

const SVG = "http://www.w3.org/2000/svg";

export function startFind(form) {
  const field = form.elements.number;
  const fault = form.querySelector(".fault");
  const answer = form.querySelector(".answer");
  const faulty = (sentence) => {
    fault.hidden = !sentence;
    setText(fault, sentence);
    field.setAttribute("aria-invalid", String(Boolean(sentence)));
    if (sentence) field.focus();
  };
  let asked = 0;
  const clear = () => {
    asked += 1;
    answer.replaceChildren();
  };
  field.addEventListener("input", clear);
  form.elements.ordinal?.addEventListener("change", clear);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const number = field.value.trim();
    clear();
    if (!number) return faulty(say("find_type"));
    const mine = asked;
    const ordinal = Number(form.elements.ordinal?.value ?? form.dataset.ordinal);
    const { said, sentence } = await ask("/console/draws/why", { draw: form.dataset.draw, ordinal, number });
    if (mine !== asked) return undefined; // another number was typed meanwhile
    faulty(sentence ?? "");
    if (said) answer.replaceChildren(...told(said));
    return undefined;
  });
}

function told(said) {
  const reason = said.reason ? `${said.reason}, ` : "";
  return [
    el("h3", "asked", said.asked),
    said.to_guest ? el("p", "quiet", say("tell")) : "",
    el("p", "sentence", said.sentence),
    said.scale ? el("p", "against", scale(said.scale), `${said.figure} / ${said.limit}`) : "",
    said.tickets ? el("p", "", said.tickets) : "",
    el("small", "", `${reason}${said.code}`),
    ...(said.proof ? proof(said) : []),
  ].filter(Boolean);
}

// The figure as a bar, the limit as a line across it.
function scale([figure, limit]) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 100 10");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("class", "gauge");
  svg.setAttribute("aria-hidden", "true");
  for (const [name, d] of [
    ["figure", `M0 3h${figure}v4h-${figure}z`],
    ["limit", `M${limit} 0h1v10h-1z`],
  ]) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("class", name);
    path.setAttribute("d", d);
    svg.append(path);
  }
  return svg;
}

function proof({ proof: text, proof_of: of, qr }) {
  const area = el("textarea", "proof");
  Object.assign(area, { readOnly: true, rows: 4, value: text });
  area.setAttribute("aria-label", say("proof"));
  const copy = el("button", "btn", say("copy"));
  copy.type = "button";
  copy.addEventListener("click", async () => {
    area.select();
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      document.execCommand("copy"); // a page without TLS has no clipboard of its own
    }
    setText(copy, say("copied"));
  });
  return [el("h3", "", say("proof")), el("p", "of", of), el("p", "quiet", say("proof_hint")), ...scanned(qr), area, copy];
}

function scanned(qr) {
  if (!qr) return [];
  const code = new DOMParser().parseFromString(qr, "image/svg+xml").documentElement;
  code.setAttribute("aria-hidden", "true"); // the same stands below as text
  return [el("figure", "code", code, el("figcaption", "quiet", say("proof_scan")))];
}
