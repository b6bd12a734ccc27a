import { expect, test, vi } from "vitest";
import { local } from "../storage";
import { dropKeysOf, forgetPerson } from "./forgetPerson";
import { forgetDraftOf } from "./compose/forgetDraft";

vi.mock("./compose/forgetDraft", () => ({ forgetDraftOf: vi.fn() }));

test("what is stored for a user is removed; the device's appearance and other users' drafts stay", () => {
  for (const key of ["mellow.draft.7", "mellow.7.seen", "mellow.draft.77", "mellow.theme", "other.7"])
    localStorage.setItem(key, "x");
  dropKeysOf(local, "7");
  expect(Object.keys(localStorage).sort()).toEqual(["mellow.draft.77", "mellow.theme", "other.7"]);
});

test("it is removed a second time, because other tabs may save their text a little later", async () => {
  vi.useFakeTimers();
  forgetPerson(7);
  await vi.advanceTimersByTimeAsync(0);
  localStorage.setItem("mellow.draft.7", "{}");
  await vi.advanceTimersByTimeAsync(5_000);
  vi.useRealTimers();
  await vi.waitFor(() => expect(forgetDraftOf).toHaveBeenCalledTimes(2));
  expect(localStorage.getItem("mellow.draft.7")).toBeNull();
});
