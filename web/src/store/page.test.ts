import { describe, expect, test, vi } from "vitest";
import { ENTERED, HINT, isHintOver, readHint, writeEntered, writeHint, writeHintOver } from "./hint";
import { watchPage } from "./page";

describe("other tabs of this browser", () => {
  test("are heard when who is signed in changes, when the same person is back, and when all was cleared", () => {
    const watch = { woke: vi.fn(), offline: vi.fn(), hintChanged: vi.fn() };
    watchPage(watch);
    for (const key of [HINT, ENTERED, null, "mellow.theme", "mellow.draft.7"]) dispatchEvent(new StorageEvent("storage", { key }));
    expect(watch.hintChanged).toHaveBeenCalledTimes(3);
  });

  test("a hint whose login is over hints at nobody, and is told from one that was taken away", () => {
    writeHint("7");
    expect([readHint(), isHintOver()]).toEqual(["7", false]);
    writeHintOver();
    expect([readHint(), isHintOver()]).toEqual([null, true]);
    writeHint(null);
    expect([readHint(), isHintOver()]).toEqual([null, false]);
  });

  test("hear of each log-in anew, and of nobody by it", () => {
    const said = new Set<string | null>();
    for (const now of [1, 2]) {
      vi.spyOn(Date, "now").mockReturnValue(now);
      writeEntered();
      said.add(localStorage.getItem(ENTERED));
    }
    expect(said).toEqual(new Set(["1", "2"]));
    localStorage.clear();
  });
});
