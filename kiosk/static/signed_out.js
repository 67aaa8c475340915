// What happens when a sign-in has ended: nothing of guests stays on this device, and the way leads to signing in.
import { me, tell } from "./signed_words.js";

const KEPT = /^floordraw\/\w+\.snapshot$/;
const HERE = () => location.pathname + location.hash;
let leaving = false;

// Kept messages and kept pages go; presses that wait to be sent stay, and so does which desk this is.
export async function forgetGuests() {
  try {
    for (const name of Object.keys(localStorage).filter((name) => KEPT.test(name))) localStorage.removeItem(name);
  } catch {
    // It keeps nothing.
  }
  if (!("caches" in window)) return;
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith("floordraw-")).map((name) => caches.delete(name)));
}

export async function goToSignIn() {
  if (leaving || !navigator.onLine) return;
  leaving = true;
  await forgetGuests().catch(() => {});
  location.assign(`/sign-in?to=${encodeURIComponent(HERE())}`);
}

// Whether the server turned a socket away for who is signed in. Then the page has been told what to do.
export function turnedAway({ message = "" } = {}) {
  if (message === "X_NOT_SIGNED_IN" || message === "X_SECRET_TO_CHOOSE") {
    goToSignIn();
    return true;
  }
  if (message !== "X_NO_PERMISSION") return false;
  const dialog = document.querySelector("dialog.not-yours");
  if (dialog && !dialog.open) {
    dialog.querySelector(".what").textContent = tell("not_yours_what", { name: me.name, role: tell(`role_${me.role}`) });
    dialog.showModal();
  }
  return true;
}
