import { beforeEach, expect, test } from "vitest";
import { emptyState } from "../../engine/feature";
import { makeStore } from "../../engine/store";
import type { Store } from "../../engine/store";
import type { Me } from "../../engine/types.gen";
import { BEN, aMe } from "../../testing/fixtures";
import { ManualClock } from "../../testing/fakeSocket";
import { KEPT_MAX, KEPT_MS, SAVE_MS, keepWords } from "./keepWords";

let clock: ManualClock;

/** A page of this browser that belongs to this person; null: nobody is logged in. */
function aPage(me: Me | null = aMe()): Store {
  const store = makeStore();
  keepWords(store, clock, () => localStorage);
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

test("d-r6: half a comment is on the disk within three seconds, with the people it means, and comes back", () => {
  const store = aPage();
  const meant = [{ at: 3, id: 2, name: "Ben" }];
  store.setState((s) => ({ ...s, drafts: { 100: "hi @Ben" }, meant: { 100: meant } }));
  expect(SAVE_MS).toBeLessThanOrEqual(3_000);
  clock.pass(SAVE_MS);
  expect(aPage().getState()).toMatchObject({ drafts: { 100: "hi @Ben" }, meant: { 100: meant } });
});

test("d-r6: closing the page saves at once", () => {
  write(aPage(), 100, "half a thou");
  dispatchEvent(new Event("pagehide"));
  expect(aPage().getState().drafts).toEqual({ 100: "half a thou" });
});

test("d-r6: what was sent or emptied does not come back", () => {
  const store = aPage();
  write(store, 100, "half a thou");
  clock.pass(SAVE_MS);
  write(store, 100, "");
  clock.pass(SAVE_MS);
  expect(aPage().getState().drafts).toEqual({});
});

test("d-r6: logging out deletes it, and so does another person who logs in", () => {
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

test("d-r6: the newest are kept, for a month", () => {
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

test("what was typed before this was there is kept, and wins over what was kept", () => {
  const store = aPage();
  write(store, 100, "old");
  clock.pass(SAVE_MS);
  const late = makeStore();
  late.setState(
    { ...emptyState(), session: { phase: "signed-in", me: aMe() }, drafts: { 100: "new" } },
    true,
  );
  keepWords(late, clock, () => localStorage);
  clock.pass(SAVE_MS);
  expect(aPage().getState().drafts).toEqual({ 100: "new" });
});

test("without storage the words stay on the page", () => {
  const store = makeStore();
  keepWords(store, clock, () => {
    throw new DOMException("forbidden", "SecurityError");
  });
  is(store, aMe());
  write(store, 100, "half a thou");
  clock.pass(SAVE_MS);
  expect(store.getState().drafts).toEqual({ 100: "half a thou" });
});
