// The reports: the server's page with its tables; here the marks beside the words, and the plots beside the tables.
import { mark } from "../../web_display/static/marks.js";
import { el, say } from "../../web_display/static/words.js";
import { plot } from "./reports_plots.js";

for (const says of document.querySelectorAll("[data-mark]")) says.prepend(mark(says.dataset.mark));

for (const figure of document.querySelectorAll("figure[data-plot]")) {
  const readout = el("p", "readout");
  readout.setAttribute("role", "status");
  figure.after(readout, legendOf(JSON.parse(figure.dataset.plot)));
  plot(figure, readout);
}

// What the shapes mean: the same shapes, with their words.
function legendOf(told) {
  const legend = el("ul", "legend");
  legend.setAttribute("aria-hidden", "true");
  if (told.kind === "bars") return legend;
  const entry = (name, words) => legend.append(el("li", "", el("i", name), words));
  told.series.forEach((series, nth) => entry(nth ? "square" : "dot", series.title));
  entry("band", say("legend_band"));
  entry("line", say("legend_chance"));
  legend.append(el("li", "late", mark("late"), say("legend_rare")), el("li", "outside", mark("held"), say("legend_outside")));
  return legend;
}
document.documentElement.dataset.ready = "reports";
