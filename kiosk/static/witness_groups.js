// Long rows of signs for the eye: digits in fives, hashes in fours.
import { el } from "../../web_display/static/words.js";

// Spans of `size` signs each; a screen reader hears the signs one by one.
export function groups(text, size) {
  return text.match(new RegExp(`.{1,${size}}`, "gu"))?.map((part) => el("span", "", part)) ?? [];
}

export function fillGroups(place, text, size) {
  if (place.dataset.says === text) return;
  place.dataset.says = text;
  place.replaceChildren(...groups(text, size));
}
