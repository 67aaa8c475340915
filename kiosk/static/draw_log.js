// The draw log: verify in place, look a guest up, write a note, print. The pages themselves are the server's.
import { say } from "../../web_display/static/words.js";
import { startNotes } from "./draw_log_note.js";
import { startVerdict } from "./draw_log_verdict.js";
import { startFind } from "./draw_log_find.js";

for (const section of document.querySelectorAll(".verified")) startVerdict(section);
for (const form of document.querySelectorAll("form.find")) startFind(form);
startNotes(document.querySelector("dialog.decide"));
for (const button of document.querySelectorAll("[data-print]")) button.addEventListener("click", () => window.print());
document.documentElement.dataset.ready = say("title");
