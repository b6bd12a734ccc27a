import { describe, expect, test, vi } from "vitest";
import {
  LOGGED_IN,
  HINT,
  hasLoginEnded,
  readHint,
  writeLoggedIn,
  writeHint,
  writeLoginEnded,
} from "./loginHint";
import { watchPage } from "./browser";

describe("other tabs of this browser", () => {
  test("are noticed when the signed-in user changes, logs in again, or storage is cleared", () => {
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

  test("receive each login as a new event, without the user in it", () => {
    const said = new Set<string | null>();
    for (const now of [1, 2]) {
      vi.spyOn(Date, "now").mockReturnValue(now);
      writeLoggedIn();
      said.add(localStorage.getItem(LOGGED_IN));
    }
    expect(said).toEqual(new Set(["1", "2"]));
    localStorage.clear();
  });
});
