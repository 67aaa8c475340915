// Copies of identification papers: taken with the tablet's camera or chosen, made small here, shown on a canvas and gone
// when the dialog closes. Every showing is noted by the server.
import { el, keyed, say, setText } from "../../web_display/static/words.js";
import { tellDone } from "./desk_frame.js";
import { post, postPicture, readPicture } from "./desk_send.js";
import { clearFaults, fault, showRefusal } from "./form_faults.js";

const LONGEST = 2000; // pixels of the longer side: every letter of a card or a page of a passport can be read
const QUALITY = 0.85;

const dialog = document.querySelector('dialog[data-act="papers"]');
const form = dialog.querySelector("form");
const [chosen, sheet] = [form.elements.picture, dialog.querySelector(".shown")];
const [list, keepButton] = [dialog.querySelector(".copies"), form.querySelector("[type=submit]")];
let under = "";
let taken = null;
let busy = false;

export async function openPapers({ of, title }) {
  under = of;
  setText(dialog.querySelector("h2"), title);
  forget();
  list.replaceChildren();
  setText(dialog.querySelector(".none"), "");
  dialog.showModal();
  await fill();
}

// What is kept under this, as the server has it now.
async function fill() {
  const asked = under;
  const answer = await post("/papers", { under });
  if (asked !== under) return;
  if (!answer.ok) {
    showRefusal(form, answer, {});
    return;
  }
  const { papers } = answer;
  setText(dialog.querySelector(".none"), papers.length ? "" : say("papers_none"));
  keyed(list, papers, ({ n }) => n, makeCopy, fillCopy);
}

function makeCopy() {
  const look = el("button", "btn", say("papers_show"));
  look.type = "button";
  return el("li", "", el("span"), look);
}

function fillCopy(node, { n, at_text: at, by }) {
  const words = say("papers_kept", { at, by });
  setText(node.firstElementChild, words);
  node.lastElementChild.setAttribute("aria-label", `${say("papers_show")}: ${words}`);
  node.lastElementChild.onclick = () => look(n);
}

async function look(n) {
  const asked = under;
  clearFaults(form);
  const answer = await readPicture("/papers/read", { under, n });
  if (asked !== under || !dialog.open) return;
  if (answer.picture) await draw(answer.picture);
  else showRefusal(form, answer, {});
}

// -- one more ---------------------------------------------------------------------------------------------------------

chosen.addEventListener("change", async () => {
  const [file] = chosen.files;
  taken = null;
  fault(form, "picture", "");
  if (file) {
    try {
      taken = await draw(file, LONGEST);
    } catch {
      fault(form, "picture", say("papers_unreadable"));
    }
  }
  refresh();
});

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (busy) return;
  if (!taken) {
    chosen.focus();
    return;
  }
  busy = true;
  refresh();
  clearFaults(form);
  const answer = await postPicture(`/papers/keep/${under}`, taken);
  busy = false;
  if (answer.ok) {
    forget();
    tellDone(say("papers_done"));
    await fill();
  } else showRefusal(form, answer, { X_VALUE_WRONG: "picture", X_TOO_LARGE: "picture" });
  refresh();
});

function refresh() {
  setText(form.querySelector(".need"), busy ? say("sending") : taken ? "" : say("needed", { list: say("need_picture") }));
  if (taken && !busy) keepButton.removeAttribute("aria-disabled");
  else keepButton.setAttribute("aria-disabled", "true");
}

// Draws it on the sheet; with `longest` gives it back as a JPEG no larger than that, without what a camera notes beside.
async function draw(picture, longest = Infinity) {
  const image = await createImageBitmap(picture);
  const scale = Math.min(1, longest / Math.max(image.width, image.height));
  sheet.width = Math.max(1, Math.round(image.width * scale));
  sheet.height = Math.max(1, Math.round(image.height * scale));
  const pen = sheet.getContext("2d");
  pen.fillStyle = "#fff"; // a JPEG has no holes for what a PNG leaves open
  pen.fillRect(0, 0, sheet.width, sheet.height);
  pen.drawImage(image, 0, 0, sheet.width, sheet.height);
  image.close();
  sheet.hidden = false;
  return longest === Infinity ? null : new Promise((done) => sheet.toBlob(done, "image/jpeg", QUALITY));
}

function forget() {
  form.reset();
  taken = null;
  sheet.hidden = true;
  sheet.width = 1; // the picture's own memory goes, too
  sheet.height = 1;
  clearFaults(form);
  refresh();
}

dialog.addEventListener("close", () => {
  under = "";
  forget();
  list.replaceChildren();
});
dialog.querySelector("[data-back]").addEventListener("click", () => dialog.close());
