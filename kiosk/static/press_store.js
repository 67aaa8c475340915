// What the tablet keeps for itself. Where nothing can be kept (a private window), it is kept for as long as the page lives.
const PREFIX = "floordraw";
const inMemory = new Map();

export function recall(name) {
  try {
    const text = localStorage.getItem(PREFIX + name) ?? inMemory.get(name);
    return text ? JSON.parse(text) : null;
  } catch {
    return inMemory.has(name) ? JSON.parse(inMemory.get(name)) : null;
  }
}

export function remember(name, value) {
  const text = JSON.stringify(value);
  try {
    localStorage.setItem(PREFIX + name, text);
    inMemory.delete(name);
  } catch {
    inMemory.set(name, text);
  }
}
