import { beforeEach, describe, expect, test } from "vitest";
import type { ImportEnd } from "../../engine/types.gen";
import { apply } from "../../engine/apply";
import { ANA, aLiveTab, anasFeed } from "../../testing/fixtures";
import { toasts } from "../../testing/toasts";
import { toastList } from "../../ui/toast";
import { loadFirstPage } from "../shared/posts/read";
import { authorView } from "../shared/posts/types";
import "./state";

const ended = (seq: number, more: Partial<ImportEnd> = {}) => ({
  ev: "imports.changed" as const,
  seq,
  current: null,
  ended: { id: 7, result: "done" as const, posts: 3, refusal: null, ...more },
});

beforeEach(() => toastList.clear());

describe("the end of an import", () => {
  test("is told on whatever page the tab shows, and once", () => {
    const wire = aLiveTab().wire();
    wire.event(ended(11));
    expect(toasts()).toEqual(["3 posts imported"]);
    toastList.clear();
    wire.event(ended(11));
    expect(toasts()).toEqual([]);
    wire.event(ended(12, { id: 8, posts: 1 }));
    expect(toasts()).toEqual(["1 post imported"]);
  });

  test("is not told if nothing was imported", () => {
    const wire = aLiveTab().wire();
    for (const result of ["undone", "canceled", "refused"] as const) wire.event(ended(11, { result }));
    expect(toasts()).toEqual([]);
  });

  test("is told if its posts were taken back, because that is no press on Undo Import", () => {
    const wire = aLiveTab().wire();
    const current = { id: 7, phase: "importing" as const, progress: 40, source: "mellow" as const };
    const now = { ...current, preview: null, done: 4, total: 10, paused: false };
    wire.event({ ev: "imports.changed", seq: 11, current: now, ended: null });
    wire.event(ended(12, { result: "canceled", posts: 0 }));
    expect(toasts()).toEqual(["Import undone"]);
  });

  test("has the viewer's profile read again when it is opened", () => {
    const name = authorView(ANA.id);
    const page = { posts: [], users: [], groups: [], older: null, seq: 10 };
    const done = apply(loadFirstPage(anasFeed([]), name, page), ended(11));
    expect(done.views[name]?.stale).toBe(true);
    expect(apply(loadFirstPage(done, name, page), ended(11)).views[name]?.stale).toBe(false);
  });

  test("stays known while another one begins, and its seq is forgotten with the epoch", () => {
    const tab = aLiveTab();
    tab.wire().event(ended(11));
    tab.wire().event({ ev: "imports.changed", seq: 12, current: null, ended: null });
    expect(tab.client.state.imports).toMatchObject({ at: 12, ended: { id: 7 }, endedAt: 11 });
    tab.wire().event(ended(11));
    expect(tab.client.state.imports.ended?.id).toBe(7);
  });
});
