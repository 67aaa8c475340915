// Lets the page be loaded again without a network. Where that is not to be had, the page works as long as it stays open.
export function keepPage(base, assets) {
  if (!("serviceWorker" in navigator)) return;
  const worker = `${base}/worker.js?assets=${encodeURIComponent(assets)}`;
  navigator.serviceWorker.register(worker, { scope: base }).catch(() => {});
}
