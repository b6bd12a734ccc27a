// The browser functions that the client uses: storage, HTTP requests, wake-ups and the next paint.

import {
  LOGGED_IN,
  HINT,
  hasLoginEnded,
  readHint,
  writeLoggedIn,
  writeHint,
  writeLoginEnded,
} from "./loginHint";
import type { Page } from "./login";

export function browserPage(): Page {
  return {
    hint: readHint,
    setHint: writeHint,
    hasLoginEnded,
    markLoginEnded: writeLoginEnded,
    announceLogin: writeLoggedIn,
    async post(path, body) {
      try {
        const answer = await fetch(path, {
          method: "POST",
          headers: { "content-type": "text/plain" },
          body,
          credentials: "same-origin",
        });
        return answer.ok;
      } catch {
        return false;
      }
    },
    navigate(path) {
      history.pushState(null, "", path);
      dispatchEvent(new PopStateEvent("popstate"));
    },
    forget() {
      // The app says what it keeps for a person (app/forget.ts).
    },
  };
}

/** Runs before the next paint; a hidden tab has no paints, and a covered one may have few. */
export function soonInBrowser(run: () => void): void {
  if (document.visibilityState === "hidden") {
    setTimeout(run, 0);
    return;
  }
  let done = false;
  const once = () => {
    if (done) return;
    done = true;
    run();
  };
  requestAnimationFrame(once);
  setTimeout(once, 250);
}

export type PageWatch = { woke(): void; offline(): void; hintChanged(): void };

/** Tells when the device may have slept, lost or found its network, or another tab changed the hint or logged in. */
export function watchPage(watch: PageWatch): void {
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") watch.woke();
  });
  addEventListener("pageshow", (event) => {
    if (event.persisted) watch.woke();
  });
  addEventListener("online", () => watch.woke());
  addEventListener("offline", () => watch.offline());
  addEventListener("storage", (event) => {
    if (event.key === HINT || event.key === LOGGED_IN || event.key === null) watch.hintChanged();
  });
}
