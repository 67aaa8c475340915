// Who is signed in, as the server put it into the page, and the words about it that every page has.
const { signed = "{}" } = document.querySelector("[data-signed]")?.dataset ?? {};
const words = JSON.parse(signed);

// {id, name, role}; empty where nobody is.
export const me = JSON.parse(document.body.dataset.me || "{}");

export function tell(key, values = {}) {
  const form = values.n === 1 && words[`${key}_one`] !== undefined ? `${key}_one` : key;
  return (words[form] ?? key).replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}
