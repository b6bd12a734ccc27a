// The browser functions that the client uses: storage, HTTP requests, wake-ups and the next paint.

import * as hint from "./loginHint";
import type { Page } from "./login";

/** The name of the lock of the cookies, for all tabs of this browser. */
const COOKIES = "mellow.cookies";
/** The longest wait for a response. The request is then aborted, so that no late response changes the cookies. */
const POST_MS_MAX = 30_000;

/**
 * Changes the cookies in one tab at a time. Otherwise the response to an earlier log-out, which removes them, could
 * arrive after the log-in of another tab.
 */
async function inTurn(change: () => Promise<boolean>): Promise<boolean> {
  try {
    return await navigator.locks.request(COOKIES, change);
  } catch {
    // A page without HTTPS has no locks, and a browser may refuse them. `change` itself never fails.
    return change();
  }
}

async function posts(path: string, body: string): Promise<boolean> {
  try {
    const response = await fetch(path, {
      method: "POST",
      headers: { "content-type": "text/plain" },
      body,
      credentials: "same-origin",
      signal: AbortSignal.timeout(POST_MS_MAX),
    });
    return response.ok;
  } catch {
    // There is no network, or something between this page and the server refuses the request.
    return false;
  }
}

export function browserPage(): Page {
  return {
    hint: hint.readHint,
    announcedHint: hint.announcedHint,
    setHint: hint.writeHint,
    hasLoginEnded: hint.hasLoginEnded,
    markLoginEnded: hint.writeLoginEnded,
    announceLogin: hint.writeLoggedIn,
    markLeaving: hint.writeLeaving,
    isLeaving: hint.isLeaving,
    markLeft: hint.writeLeft,
    post: (path, body) =>
      inTurn(() => {
        // Another tab has logged in meanwhile. The server has ended the former login, and the cookies belong to the
        // new one.
        const isOver = path === "/session/end" && hint.readHint() !== null;
        return isOver ? Promise.resolve(true) : posts(path, body);
      }),
    navigate(path) {
      history.pushState(null, "", path);
      dispatchEvent(new PopStateEvent("popstate"));
    },
    // Client.start replaces these with the app's functions.
    forget: () => undefined,
    notKept: () => undefined,
  };
}

/** A hidden tab applies the events of this many milliseconds together, because each render costs time. */
export const HIDDEN_MS = 5_000;
/** The longest wait in a visible tab, because a covered window may have few paints. */
const COVERED_MS = 250;

/** Runs before the next paint. In a hidden tab it runs after HIDDEN_MS, or as soon as the tab is shown. */
export function soonInBrowser(run: () => void): void {
  const isHidden = document.visibilityState === "hidden";
  let done = false;
  const once = () => {
    if (done) return;
    done = true;
    document.removeEventListener("visibilitychange", once);
    run();
  };
  if (isHidden) document.addEventListener("visibilitychange", once);
  else requestAnimationFrame(once);
  setTimeout(once, isHidden ? HIDDEN_MS : COVERED_MS);
}

export type PageWatch = { woke(): void; offline(): void; hintChanged(): void };

/**
 * Calls `watch` when the device may have slept, when it lost or found its network, and when another tab
 * changed the hint or logged in.
 */
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
    hint.hear(event);
    if (event.key === hint.HINT || event.key === hint.LOGGED_IN || event.key === null) watch.hintChanged();
  });
}
