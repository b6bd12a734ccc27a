// The service worker: opens Mellow without a network.
//
// Promises: it keeps only the files of the app. It does not touch people's data (the socket, pictures,
// exports). A page is requested from the server first, so that a reload shows the server's build. The kept
// page is used if the server does not reply. A new worker waits until the pages of the old one are closed, so
// that their files stay.

// The build (build/worker.ts) replaces these values.
const build = "";
const files = [];

const name = `mellow-app-${build}`;
/** How long to wait for the server's page before the kept page is shown. */
const PAGE_MS = 5_000;
/** Paths that are not pages of the app. */
const SERVERS = /^\/(?:media|session|ws|export|assets|healthz|readyz|metrics)(?:\/|$)/u;

addEventListener("install", (event) => {
  event.waitUntil(caches.open(name).then((cache) => cache.addAll(files)));
});

addEventListener("activate", (event) => {
  const sweep = (names) => Promise.all(names.filter((one) => one !== name).map((one) => caches.delete(one)));
  event.waitUntil(caches.keys().then(sweep));
});

addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== location.origin || request.method !== "GET") return;
  if (request.mode === "navigate") {
    if (!SERVERS.test(pathname)) event.respondWith(page(request));
  } else if (files.includes(pathname)) {
    event.respondWith(kept(pathname).then((response) => response ?? fetch(request)));
  }
});

const kept = (pathname) => caches.match(pathname, { cacheName: name, ignoreVary: true });

async function page(request) {
  const late = new Promise((_, reject) => setTimeout(reject, PAGE_MS));
  try {
    return await Promise.race([fetch(request), late]);
  } catch {
    return (await kept("/")) ?? Response.error();
  }
}
