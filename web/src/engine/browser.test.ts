import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  LOGGED_IN,
  HINT,
  hasLoginEnded,
  readHint,
  writeLoggedIn,
  writeHint,
  writeLoginEnded,
} from "./loginHint";
import { HIDDEN_MS, soonInBrowser, watchPage } from "./browser";

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

  test("a hint whose login has ended names no user, and differs from a removed one", () => {
    writeHint("7");
    expect([readHint(), hasLoginEnded()]).toEqual(["7", false]);
    writeLoginEnded();
    expect([readHint(), hasLoginEnded()]).toEqual([null, true]);
    writeHint(null);
    expect([readHint(), hasLoginEnded()]).toEqual([null, false]);
  });

  test("receive each log-in as a new event, which does not name the user", () => {
    const values = new Set<string | null>();
    for (const now of [1, 2]) {
      vi.spyOn(Date, "now").mockReturnValue(now);
      writeLoggedIn();
      values.add(localStorage.getItem(LOGGED_IN));
    }
    expect(values).toEqual(new Set(["1", "2"]));
    localStorage.clear();
  });
});
