// The service worker of a tablet page (/crew or /stage): the network first, what was kept when there is none.
// It touches the page itself, its parts and its map; presses and messages go past it.
const page = new URL(self.registration.scope).pathname;
const assets = new URL(self.location.href).searchParams.get("assets") ?? "";
const name = page.replaceAll("/", "");
const kept = `floordraw-${name}`;
const ANSWER_WITHIN_MS = 3000;
const PARTS = [
  page,
  `${assets}/vendor/${name}.js`,
  `${assets}/vendor/${name}.css`,
  `${assets}/vendor/signed_in.js`,
  `${assets}/vendor/signed_in.css`,
  `${assets}/vendor/archivo-latin-standard-normal.woff2`,
  `${assets}/vendor/archivo-latin-ext-standard-normal.woff2`,
  `${assets}/mark.svg`,
];

self.addEventListener("install", (event) => {
  event.waitUntil(keepAll().then(() => self.skipWaiting()));
});
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

async function keepAll() {
  const cache = await caches.open(kept);
  await Promise.all(PARTS.map((part) => keep(cache, part)));
}

// Whoever is not signed in is led elsewhere: that is not the page, and must not be kept as it.
async function keep(cache, part) {
  const answer = await fetch(new Request(part, { cache: "reload" }));
  if (isItself(answer)) await cache.put(part, answer);
  else if (!answer.redirected) throw new Error(`${part}: ${answer.status}`);
}

const isItself = (answer) => answer.ok && answer.type === "basic" && !answer.redirected;

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  const ours = url.origin === self.location.origin && request.method === "GET";
  const part = PARTS.includes(url.pathname) || url.pathname === `${page}/floor.json`;
  if (ours && part) event.respondWith(networkFirst(request, url.pathname));
});

async function networkFirst(request, path) {
  const cache = await caches.open(kept);
  const old = await cache.match(path);
  try {
    const answer = await fetch(request, old ? { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) } : undefined);
    if (isItself(answer)) await cache.put(path, answer.clone());
    return answer.ok || !old || answer.status < 500 ? answer : old;
  } catch (fault) {
    if (old) return old;
    throw fault;
  }
}
