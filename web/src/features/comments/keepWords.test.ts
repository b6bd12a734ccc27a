import { beforeEach, expect, test, vi } from "vitest";
import { local } from "../../storage";
import { emptyState } from "../../engine/feature";
import { makeStore } from "../../engine/store";
import type { Store } from "../../engine/store";
import type { Me } from "../../engine/types.gen";
import { BEN, aMe } from "../../testing/fixtures";
import { ManualClock } from "../../testing/fakeSocket";
import { KEPT_MAX, KEPT_MS, SAVE_MS, keepWords } from "./keepWords";

let clock: ManualClock;

/** Opens a page of this browser for this user; null: nobody is logged in. */
function aPage(me: Me | null = aMe()): Store {
  const store = makeStore();
  keepWords(store, clock, local);
  if (me !== null) is(store, me);
  return store;
}

const is = (store: Store, me: Me | null) =>
  store.setState({ ...emptyState(), session: { phase: me === null ? "guest" : "signed-in", me } }, true);

const write = (store: Store, postId: number, text: string) =>
  store.setState((s) => {
    const { [postId]: _, ...others } = s.drafts;
    return { ...s, drafts: text === "" ? others : { ...others, [postId]: text } };
  });

beforeEach(() => {
  localStorage.clear();
  clock = new ManualClock();
});

test("d-r6: an unsent comment and its mentions are stored within three seconds, and restored", () => {
  const store = aPage();
  const meant = [{ at: 3, id: 2, name: "Ben" }];
  store.setState((s) => ({ ...s, drafts: { 100: "hi @Ben" }, meant: { 100: meant } }));
  expect(SAVE_MS).toBeLessThanOrEqual(3_000);
  clock.pass(SAVE_MS);
  expect(aPage().getState()).toMatchObject({ drafts: { 100: "hi @Ben" }, meant: { 100: meant } });
});

test("d-r6: an unsent comment is stored at once when the page is closed", () => {
  write(aPage(), 100, "half a thou");
  dispatchEvent(new Event("pagehide"));
  expect(aPage().getState().drafts).toEqual({ 100: "half a thou" });
});

test("d-r6: a comment that was sent or emptied is not restored", () => {
  const store = aPage();
  write(store, 100, "half a thou");
  clock.pass(SAVE_MS);
  write(store, 100, "");
  clock.pass(SAVE_MS);
  expect(aPage().getState().drafts).toEqual({});
});

test("d-r6: unsent comments are deleted at log-out, and when another user logs in", () => {
  const store = aPage();
  write(store, 100, "half a thou");
  clock.pass(SAVE_MS);
  is(store, null);
  expect(localStorage.length).toBe(0);

  const again = aPage();
  write(again, 100, "half a thou");
  clock.pass(SAVE_MS);
  expect(aPage(aMe({ ...BEN })).getState().drafts).toEqual({});
  expect(aPage().getState().drafts).toEqual({});
});

test("d-r6: only the newest unsent comments are kept, and for a month", () => {
  const store = aPage();
  for (let id = 1; id <= KEPT_MAX + 1; id += 1) {
    write(store, id, `words ${id}`);
    clock.pass(SAVE_MS);
  }
  const kept = Object.keys(aPage().getState().drafts).map(Number);
  expect(kept).toHaveLength(KEPT_MAX);
  expect(kept).not.toContain(1);
  clock.pass(KEPT_MS);
  expect(aPage().getState().drafts).toEqual({});
});

test("text that was typed before this file was loaded is kept, instead of the stored text", () => {
  const store = aPage();
  write(store, 100, "old");
  clock.pass(SAVE_MS);
  const late = makeStore();
  late.setState(
    { ...emptyState(), session: { phase: "signed-in", me: aMe() }, drafts: { 100: "new" } },
    true,
  );
  keepWords(late, clock, local);
  clock.pass(SAVE_MS);
  expect(aPage().getState().drafts).toEqual({ 100: "new" });
});

test("the text stays on the page if storage is forbidden", () => {
  const store = makeStore();
  vi.spyOn(window, "localStorage", "get").mockImplementation(() => {
    throw new DOMException("forbidden", "SecurityError");
  });
  keepWords(store, clock, local);
  is(store, aMe());
  write(store, 100, "half a thou");
  clock.pass(SAVE_MS);
  expect(store.getState().drafts).toEqual({ 100: "half a thou" });
});
