import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  HINT,
  LOGGED_IN,
  announcedHint,
  hasLoginEnded,
  hear,
  isLeaving,
  readHint,
  writeHint,
  writeLeaving,
  writeLeft,
  writeLoggedIn,
  writeLoginEnded,
} from "./loginHint";
import { HIDDEN_MS, browserPage, soonInBrowser, watchPage } from "./browser";
import { openBrowserSocket } from "./socket";

/** What the server does at a log-in. */
function logsIn(id: string): void {
  document.cookie = `mellow-user=${id}; Path=/`;
  writeHint(id);
}

afterEach(() => {
  vi.restoreAllMocks();
  writeLoginEnded();
  localStorage.clear();
});

describe("received events", () => {
  let visibility: DocumentVisibilityState;
  const becomes = (next: DocumentVisibilityState): void => {
    visibility = next;
    document.dispatchEvent(new Event("visibilitychange"));
  };
  beforeEach(() => {
    vi.useFakeTimers();
    vi.spyOn(document, "visibilityState", "get").mockImplementation(() => visibility);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  test("are applied before the next paint of a visible tab", () => {
    visibility = "visible";
    const run = vi.fn();
    soonInBrowser(run);
    vi.advanceTimersToNextFrame();
    expect(run).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(HIDDEN_MS);
    expect(run).toHaveBeenCalledTimes(1);
  });

  test("wait some seconds in a hidden tab, and are applied as soon as it is shown", () => {
    visibility = "hidden";
    const run = vi.fn();
    soonInBrowser(run);
    vi.advanceTimersByTime(HIDDEN_MS - 1);
    expect(run).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(run).toHaveBeenCalledTimes(1);
    soonInBrowser(run);
    becomes("visible");
    expect(run).toHaveBeenCalledTimes(2);
    vi.advanceTimersByTime(HIDDEN_MS);
    becomes("hidden");
    expect(run).toHaveBeenCalledTimes(2);
  });
});

describe("other tabs of this browser", () => {
  test("are noticed when they change the signed-in user, log in again or clear the storage", () => {
    const watch = { woke: vi.fn(), offline: vi.fn(), hintChanged: vi.fn() };
    watchPage(watch);
    for (const key of [HINT, LOGGED_IN, null, "mellow.theme", "mellow.draft.7"])
      dispatchEvent(new StorageEvent("storage", { key }));
    expect(watch.hintChanged).toHaveBeenCalledTimes(3);
  });

  test("a hint whose login has ended names no user, and differs from that of a log-out", () => {
    logsIn("7");
    expect([readHint(), announcedHint(), hasLoginEnded(), isLeaving()]).toEqual(["7", "7", false, false]);
    writeLoginEnded();
    expect([readHint(), announcedHint(), hasLoginEnded(), isLeaving()]).toEqual([null, null, true, false]);
    logsIn("7");
    writeLeaving();
    expect([readHint(), announcedHint(), hasLoginEnded(), isLeaving()]).toEqual([null, null, false, true]);
    writeLeft();
    expect([readHint(), announcedHint(), hasLoginEnded(), isLeaving()]).toEqual([null, null, false, false]);
  });

  test("after the cookies were deleted a hint is that of a log-out, so that what is kept is deleted", () => {
    logsIn("7");
    writeLoggedIn("7");
    document.cookie = "mellow-user=; Path=/; Max-Age=0";
    expect([readHint(), isLeaving()]).toEqual([null, true]);
  });

  test("receive a log-in before their own copy of the cookies has changed, and open no guest's socket", () => {
    const offered: unknown[] = [];
    vi.stubGlobal(
      "WebSocket",
      vi.fn(function (_: string, protocols: unknown) {
        offered.push(protocols);
      }),
    );
    // Without an event a copy without the cookie is what a log-out left behind.
    localStorage.setItem(HINT, "7");
    openBrowserSocket();
    hear(new StorageEvent("storage", { key: HINT, newValue: "7" }));
    expect([readHint(), isLeaving()]).toEqual(["7", false]);
    openBrowserSocket();
    hear(new StorageEvent("storage", { key: HINT, newValue: "leaving" }));
    openBrowserSocket();
    hear(new StorageEvent("storage", { key: LOGGED_IN, newValue: "1" }));
    openBrowserSocket();
    writeLeaving();
    openBrowserSocket();
    const guests = ["mellow.1", "guest"];
    expect(offered).toEqual([guests, ["mellow.1"], guests, ["mellow.1"], guests]);
  });

  test("receive each log-in as a new event", () => {
    const values = new Set<string | null>();
    writeLoggedIn("7");
    for (const now of [1, 2]) {
      vi.spyOn(Date, "now").mockReturnValue(now);
      writeLoggedIn("7");
      values.add(localStorage.getItem(LOGGED_IN));
    }
    expect(localStorage.getItem(HINT)).toBe("7");
    expect(values).toEqual(new Set(["1", "2"]));
  });

  test("receive the end of a login before their own copy of the cookies has changed, and keep the page", () => {
    logsIn("7");
    localStorage.setItem(HINT, "over");
    expect([announcedHint(), hasLoginEnded()]).toEqual([null, true]);
  });

  test("receive a log-out before their own copy of the cookies has changed", () => {
    logsIn("7");
    localStorage.setItem(HINT, "leaving");
    expect(announcedHint()).toBeNull();
    // Nothing is ended by a page that sees the cookie of a newer log-in.
    expect(isLeaving()).toBe(false);
  });
});

describe("two tabs that both end a former login", () => {
  /** The requests whose replies are on the way, and what each reply does. */
  let onTheWay: { path: string; arrives(): void }[] = [];
  let sent: string[] = [];
  const settled = () => new Promise((resolve) => setTimeout(resolve));
  /** Delivers the last reply to such a request, if there is one. */
  const arrives = async (path: string) => {
    await settled();
    const at = onTheWay.findLastIndex((one) => one.path === path);
    if (at >= 0) onTheWay.splice(at, 1)[0]?.arrives();
    await settled();
  };

  beforeEach(() => {
    onTheWay = [];
    sent = [];
    vi.stubGlobal("fetch", (path: string) => {
      sent.push(path);
      return new Promise((resolve) => {
        onTheWay.push({
          path,
          arrives() {
            if (path === "/session") logsIn("7");
            else document.cookie = "mellow-user=; Path=/; Max-Age=0";
            resolve({ ok: true });
          },
        });
      });
    });
    logsIn("7");
    writeLeaving();
  });
  afterEach(() => vi.unstubAllGlobals());

  test("never delete the cookies of a log-in that follows", async () => {
    // One lock for all tabs, as a browser has it.
    let turn = Promise.resolve<unknown>(undefined);
    const request = (_: string, work: () => Promise<unknown>) => (turn = turn.then(work));
    vi.stubGlobal("navigator", { locks: { request } });
    const [one, other] = [browserPage(), browserPage()];
    const ends = [other.post("/session/end", ""), one.post("/session/end", "")];
    await arrives("/session/end");
    // The reply to one of them is slower than a log-in.
    const entered = one.post("/session", "ticket");
    await arrives("/session");
    await arrives("/session/end");
    await arrives("/session");
    expect(await Promise.all([...ends, entered])).toEqual([true, true, true]);
    // A third tab tries again, after the log-in.
    expect(await browserPage().post("/session/end", "")).toBe(true);
    expect(sent).toEqual(["/session/end", "/session/end", "/session"]);
    expect(readHint()).toBe("7");
  });

  test("end it too in a browser that has or allows no locks", async () => {
    const refuses = () => Promise.reject(new DOMException("no", "SecurityError"));
    for (const locks of [undefined, { request: refuses }]) {
      vi.stubGlobal("navigator", { locks });
      const ended = browserPage().post("/session/end", "");
      await arrives("/session/end");
      expect(await ended).toBe(true);
    }
  });
});

describe("a login", () => {
  test("outlives the storage of scripts, which Safari deletes after a week", () => {
    logsIn("7");
    localStorage.clear();
    expect([readHint(), announcedHint()]).toEqual(["7", "7"]);
  });

  test("is over at a log-out, also if the browser refuses storage", () => {
    logsIn("7");
    vi.spyOn(window, "localStorage", "get").mockImplementation(() => {
      throw new DOMException("blocked", "SecurityError");
    });
    writeLeaving();
    expect([readHint(), isLeaving()]).toEqual([null, true]);
    writeLeft();
    expect(isLeaving()).toBe(false);
  });

  test("of a site with TLS has a cookie whose name says so", () => {
    const cookies = vi.spyOn(document, "cookie", "get").mockReturnValue("a=1; __Host-mellow-user=12; b=2");
    const written = vi.spyOn(document, "cookie", "set");
    expect(readHint()).toBe("12");
    writeLeaving();
    expect(written).toHaveBeenCalledWith("__Host-mellow-user=; Path=/; Max-Age=0; Secure");
    cookies.mockReturnValue("not-mellow-user=3; mellow-user=no");
    expect(readHint()).toBeNull();
  });
});
