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
const ofLanguage = "mellow-language";
/** How long to wait for the server's page before the kept page is shown. */
const PAGE_MS = 5_000;
/** The same for the file of a language. The app waits a second longer. */
const LANGUAGE_MS = 2_000;
/** Paths that are not pages of the app. */
const SERVERS = /^\/(?:media|session|ws|export|assets|languages|healthz|readyz|metrics)(?:\/|$)/u;

addEventListener("install", (event) => {
  event.waitUntil(caches.open(name).then((cache) => cache.addAll(files)));
});

addEventListener("activate", (event) => {
  const sweep = (names) =>
    Promise.all(names.filter((one) => one !== name && one !== ofLanguage).map((one) => caches.delete(one)));
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
  } else if (pathname.startsWith("/languages/")) {
    event.respondWith(language(request));
  }
});

const kept = (pathname) => caches.match(pathname, { cacheName: name, ignoreVary: true });

async function page(request) {
  try {
    return await fromServer(request, PAGE_MS);
  } catch {
    return (await kept("/")) ?? Response.error();
  }
}

async function language(request) {
  try {
    const response = await fromServer(request, LANGUAGE_MS);
    if (response.status < 500) return response;
  } catch {
    // The server does not reply.
  }
  return (await caches.match(request, { cacheName: ofLanguage })) ?? Response.error();
}

function fromServer(request, ms) {
  return Promise.race([fetch(request), new Promise((_, reject) => setTimeout(reject, ms))]);
}
