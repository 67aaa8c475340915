// The page's own words (web_display/catalogue.py), handed over in data-words, and small ways to put them on the page.
const words = JSON.parse(document.body.dataset.words || "{}");

// A sentence with its values; n = 1 takes the singular where there is one.
export function say(key, values = {}) {
  const form = values.n === 1 && words[`${key}_one`] !== undefined ? `${key}_one` : key;
  return (words[form] ?? key).replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

// An element with a class and children (text or elements; nothing for null).
export function el(tag, className = "", ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children.filter((child) => child !== null && child !== ""));
  return made;
}

// Change text only when it differs, so that nothing is announced or laid out twice.
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// Children of `parent` from `items`, kept by key: what stays keeps its element (its focus, its animation).
export function keyed(parent, items, key, make, fill) {
  const old = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  let at = parent.firstElementChild;
  for (const item of items) {
    const name = String(key(item));
    let node = old.get(name);
    if (node) old.delete(name);
    else {
      node = make(item);
      node.dataset.key = name;
    }
    fill(node, item);
    if (node === at) at = at.nextElementSibling;
    else parent.insertBefore(node, at);
  }
  for (const gone of old.values()) gone.remove();
}
