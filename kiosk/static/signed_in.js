// On every page of staff: who is signed in, the way out, and a warning with a way to stay before a sign-in ends.
import { send } from "./page_send.js";
import { recall } from "./press_store.js";
import { forgetGuests, goToSignIn } from "./signed_out.js";
import { me, tell } from "./signed_words.js";

const WARN_MS = 60_000;
const LOOK_MS = 5 * 60_000;
const AGAIN_MS = 15_000;
const AT_WORK_MS = 2 * 60_000; // somebody who types or points is there, whatever the server has heard
const RELOADED = "floordraw.reloaded";
const account = document.querySelector("dialog.account");
const still = document.querySelector("dialog.still");
const count = still.querySelector("[role=timer]");
let endsAt = Infinity; // on this page's own steady clock
let lastDid = performance.now();
let cannotStay = false;
let told = false; // that it ends, and that nothing can be done about it
let timer = 0;

// -- the menu ---------------------------------------------------------------------------------------------------------

const button = document.querySelector(".bar .me");
if (button) {
  button.setAttribute("aria-haspopup", "dialog");
  button.setAttribute("aria-label", tell("account", { name: me.name, role: tell(`role_${me.role}`) }));
  button.addEventListener("click", () => {
    refuse("");
    account.showModal();
  });
}
for (const link of account.querySelectorAll("nav a")) if (link.pathname === location.pathname) link.setAttribute("aria-current", "page");
account.querySelector("[data-back]").addEventListener("click", () => account.close());
const change = account.querySelector("a");
change.addEventListener("click", () => {
  change.href = `/sign-in?to=${encodeURIComponent(location.pathname)}#change`;
});

function refuse(sentence) {
  const line = account.querySelector(".refused");
  line.hidden = !sentence;
  line.textContent = sentence;
}

// Presses of this person that the server has not got: whoever signs out would leave them behind.
function pressesWait() {
  const kept = ["/crew", "/stage"].flatMap((base) => recall(`${base}.presses`)?.waiting ?? []);
  const asked = new Event("signing-out", { cancelable: true });
  return kept.some((press) => press.body.by === me.id) || !dispatchEvent(asked);
}

async function signOut() {
  if (pressesWait()) {
    still.close();
    if (!account.open) account.showModal();
    return refuse(tell("waits"));
  }
  try {
    await send("/sign-out", {});
  } catch {
    if (!account.open) account.showModal();
    return refuse(tell("not_sent"));
  }
  await forgetGuests().catch(() => {});
  return location.assign("/sign-in");
}

for (const each of document.querySelectorAll("[data-sign-out]")) each.addEventListener("click", signOut);

// -- how long it lasts ----------------------------------------------------------------------------------------------

// Asks who is signed in, which is no use of the sign-in: a page that nobody looks at must not keep it.
async function look() {
  clearTimeout(timer);
  timer = setTimeout(look, AGAIN_MS);
  try {
    const answer = await fetch("/me", { cache: "no-store", headers: { Accept: "application/json" }, signal: AbortSignal.timeout(8000) });
    if (answer.status === 401) return goToSignIn();
    if (answer.ok) know(await answer.json());
  } catch {
    // The line is down. It is asked again; what has ended meanwhile the server will say.
  }
}

function know(said) {
  dispatchEvent(new CustomEvent("signed-in", { detail: said }));
  if (said.id !== me.id) return isSomebodyElse();
  try {
    sessionStorage.removeItem(RELOADED);
  } catch {
    // A browser that keeps nothing.
  }
  const left = said.ends_at - said.server_now;
  endsAt = performance.now() + left;
  clearTimeout(timer);
  if (left > WARN_MS) {
    still.close();
    cannotStay = told = false;
    timer = setTimeout(look, Math.min(LOOK_MS, left - WARN_MS));
  } else {
    timer = setTimeout(look, Math.max(1000, Math.min(AGAIN_MS, left + 500)));
    warn();
  }
}

// Another tab has signed somebody else in: this page must show theirs. Once; a page kept by the tablet may lag behind.
async function isSomebodyElse() {
  try {
    if (sessionStorage.getItem(RELOADED)) return;
    sessionStorage.setItem(RELOADED, "1");
  } catch {
    return;
  }
  await forgetGuests().catch(() => {});
  location.reload();
}

function warn() {
  if (!cannotStay && performance.now() - lastDid < AT_WORK_MS) stay();
  else if (!still.open && !told) {
    setWords();
    countDown();
    still.showModal();
  }
}

function setWords() {
  const kind = cannotStay ? "last" : "still";
  still.querySelector("h2").textContent = tell(`${kind}_title`);
  still.querySelector("#still-what").textContent = tell(`${kind}_what`);
  still.querySelector("[data-stay]").textContent = tell(cannotStay ? "go_on" : "stay");
}

function countDown() {
  count.textContent = tell("still_seconds", { n: Math.max(0, Math.ceil((endsAt - performance.now()) / 1000)) });
}

async function stay() {
  if (cannotStay) {
    told = true;
    return still.close();
  }
  try {
    const { status, said } = await send("/sign-in/stay", {});
    if (status !== 200) return look();
    // Staying does not help any more: say so, once.
    cannotStay = said.ends_at - said.server_now <= WARN_MS;
    still.close();
    know(said);
  } catch {
    // Asked again by `look`; the dialog stands, and Stay can be pressed again.
  }
}

still.querySelector("[data-stay]").addEventListener("click", stay);
still.addEventListener("cancel", (event) => {
  event.preventDefault();
  stay();
});
setInterval(() => still.open && countDown(), 500);
for (const did of ["pointerdown", "keydown"]) addEventListener(did, () => (lastDid = performance.now()), { capture: true });
addEventListener("signed-out", look);
addEventListener("online", look);
document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && look());
look();
