// The published draws: their checkpoints and pools' roots, fetched when one is opened.
import { el, say } from "../../web_display/static/words.js";
import { ask, pathOf, Refused } from "./check_ask.js";
import { clock, figure, hash } from "./check_say.js";

for (const one of document.querySelectorAll("[data-draw]")) {
  one.querySelector("details").addEventListener("toggle", (event) => event.target.open && fill(one));
}

async function fill(one) {
  const more = one.querySelector(".more");
  if (more.dataset.filled) return;
  try {
    more.replaceChildren(...told(await ask(`/check/draw/${pathOf(one.dataset.draw)}`)));
    more.dataset.filled = "yes";
  } catch (refused) {
    if (!(refused instanceof Refused)) throw refused;
    more.replaceChildren(el("p", "", refused.message));
  }
}

function told({ record, zone, digest, checkpoints }) {
  const { pools } = JSON.parse(record);
  return [
    el("h4", "", say("record_digest")),
    el("p", "", hash(digest)),
    el("h4", "", say("checkpoints")),
    el("p", "quiet", say("checkpoint_what")),
    el("ol", "", ...checkpoints.map((made) => el("li", "", say("checkpoint", { time: clock(made.at, zone), seq: figure(made.seq) }), " ", hash(made.hash)))),
    el("h4", "", say("pools")),
    el("ol", "", ...pools.map((pool) => el("li", "", poolText(pool, zone), " ", hash(pool.root)))),
  ];
}

function poolText({ frozen_at: at, size, total }, zone) {
  const key = String(size) === total ? "pool" : "pool_weighted";
  return say(key, { time: clock(at, zone), size: figure(size), total: figure(total) });
}
