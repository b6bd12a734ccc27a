import { describe, expect, test } from "vitest";
import { settle } from "../../testing/fakeSocket";
import type { AnyEvent } from "../../engine/frames";
import type { Notification } from "../../engine/types.gen";
import { apply, applyAll } from "../../engine/apply";
import { evict } from "../../engine/evict";
import type { NotificationsPage } from "./state";
import {
  NOTIFICATIONS_VIEW,
  hasDot,
  dropNotifications,
  loadNotifications,
  loadOlderNotifications,
  setNotifications,
} from "./state";
import { forgetSeqs } from "../../engine/resync";
import type { State } from "../../engine/state";
import { emptyState } from "../../engine/feature";
import type { TestTab } from "../../testing/fixtures";
import { BEN, aLiveTab, aMe } from "../../testing/fixtures";

const notice = (id: number, more: Partial<Notification> = {}): Notification => ({
  id,
  kind: "comment",
  actor_id: BEN.id,
  post_id: 100,
  comment_id: id,
  comment_text: `comment ${id}`,
  post_text: "post 100",
  content_note: null,
  created_at_ms: id,
  unread: true,
  ...more,
});
const page = (ids: number[], seq: number, more: Partial<NotificationsPage> = {}): NotificationsPage => ({
  notifications: ids.map((id) => notice(id)),
  users: [BEN],
  older: null,
  has_unread: ids.length > 0,
  seq,
  ...more,
});
const created = (seq: number, id: number): AnyEvent => ({
  ev: "notifications.created",
  seq,
  notification: notice(id),
  users: [BEN],
});
const gone = (seq: number, ids: number[], has_unread: boolean): AnyEvent => ({
  ev: "notifications.deleted",
  seq,
  notification_ids: ids,
  has_unread,
});
const seenAll = (seq: number): AnyEvent => ({ ev: "notifications.seen", seq });

const ana = (has_unread = false): State => ({
  ...emptyState(),
  session: { phase: "signed-in", me: aMe({ has_unread }) },
});
const opened = (): State => setNotifications(ana(), { status: "loading" });
const listed = (state: State) => state.notifications.items.map((one) => one.id);
const unread = (state: State) => state.notifications.items.filter((one) => one.unread).map((one) => one.id);

describe("the dot", () => {
  test("appears with a new notification and disappears when all are seen, here or on another device", () => {
    const notified = apply(ana(), created(5, 1));
    expect(hasDot(notified)).toBe(true);
    expect(hasDot(apply(notified, seenAll(6)))).toBe(false);
  });

  test("is never set by an event that is older than the last one", () => {
    const seen = apply(ana(true), seenAll(9));
    expect(hasDot(apply(seen, created(8, 1)))).toBe(false);
    expect(hasDot(apply(seen, gone(7, [1], true)))).toBe(false);
    expect(hasDot(loadNotifications(setNotifications(seen, { status: "loading" }), page([1], 8)))).toBe(
      false,
    );
    expect(hasDot(apply(seen, created(10, 2)))).toBe(true);
  });

  test("disappears with the last unseen notification", () => {
    const two = applyAll(ana(), [created(5, 1), created(6, 2)]);
    expect(hasDot(apply(two, gone(7, [1], true)))).toBe(true);
    expect(hasDot(apply(two, gone(7, [1, 2], false)))).toBe(false);
  });

  test("is set by an account event, unless the event is older", () => {
    const changed = (seq: number, has_unread: boolean): AnyEvent => ({
      ev: "account.changed",
      seq,
      me: aMe({ hide_numbers: true, has_unread }),
    });
    const late = apply(apply(ana(), seenAll(9)), changed(8, true));
    expect(late.session.me).toEqual(aMe({ hide_numbers: true }));
    expect(hasDot(apply(late, changed(10, true)))).toBe(true);
    expect(hasDot(apply(apply(late, changed(10, false)), created(9, 1)))).toBe(false);
  });

  test("stays hidden while `notifications.read` is unanswered, whatever is received meanwhile", () => {
    const looking = setNotifications(ana(true), { looks: 1 });
    expect(hasDot(looking)).toBe(false);
    expect(hasDot(apply(looking, created(5, 1)))).toBe(false);
    // A notification after that request is new.
    expect(hasDot(setNotifications(applyAll(looking, [seenAll(6), created(7, 2)]), { looks: 0 }))).toBe(true);
  });
});

describe("the list", () => {
  test("adds a new notification at the top, once", () => {
    const events = [created(6, 3), created(7, 4)];
    const state = applyAll(loadNotifications(opened(), page([1, 2], 5)), events);
    expect(listed(state)).toEqual([4, 3, 2, 1]);
    expect(applyAll(state, events)).toEqual(state);
  });

  test("ignores an event that is older than the page that was read", () => {
    expect(listed(apply(loadNotifications(opened(), page([2], 6)), created(5, 1)))).toEqual([2]);
  });

  test("keeps a notification that arrives while the page is being read", () => {
    const state = loadNotifications(apply(opened(), created(7, 2)), page([1], 6));
    expect(listed(state)).toEqual([2, 1]);
  });

  test("does not restore a notification that is deleted while the page is being read", () => {
    const state = loadNotifications(apply(opened(), gone(7, [1], true)), page([1, 2], 6));
    expect(listed(state)).toEqual([2]);
    expect(listed(apply(state, created(6, 1)))).toEqual([2]);
  });

  test("shows items as new while it is on screen, also after they are seen", () => {
    const state = apply(loadNotifications(opened(), page([1, 2], 5)), seenAll(6));
    expect(unread(state)).toEqual([]);
    expect(Object.keys(state.notifications.fresh).map(Number)).toEqual([1, 2]);
    expect(dropNotifications(state).notifications.fresh).toEqual({});
  });

  test("has no unseen items from a page that is older than the moment they were seen", () => {
    const state = loadNotifications(apply(opened(), seenAll(6)), page([1], 5));
    expect(unread(state)).toEqual([]);
    expect(state.notifications.fresh[1]).toBe(true);
  });

  test("adds an older page only if the page continues it", () => {
    const state = loadNotifications(opened(), page([5, 4], 5, { older: 4 }));
    expect(listed(loadOlderNotifications(state, 4, page([3, 2], 6)))).toEqual([5, 4, 3, 2]);
    expect(loadOlderNotifications(state, 9, page([3, 2], 6))).toBe(state);
  });

  test("drops the one that the server deleted to make room, and no other", () => {
    const ids = Array.from({ length: 300 }, (_, at) => 300 - at);
    const full = loadNotifications(opened(), page(ids, 5));
    // The oldest of the actor who caused most is not the oldest of all.
    const state = applyAll(full, [created(6, 301), gone(6, [7], true)]);
    expect(listed(state)).toEqual([301, ...ids.filter((id) => id !== 7)]);
  });

  test("shows the notification of a follow again at its place when the person follows again", () => {
    const state = applyAll(loadNotifications(opened(), page([3, 2, 1], 5)), [
      gone(6, [2], true),
      created(7, 2),
    ]);
    expect(listed(state)).toEqual([3, 2, 1]);
    expect(hasDot(state)).toBe(true);
    const longer = loadNotifications(opened(), page([5, 4], 5, { older: 4 }));
    expect(listed(applyAll(longer, [gone(6, [2], true), created(7, 2)]))).toEqual([5, 4]);
  });

  test("shows a new notification also after all that were read so far were deleted", () => {
    const longer = loadNotifications(opened(), page([5, 4], 5, { older: 4 }));
    expect(listed(applyAll(longer, [gone(6, [5, 4], true), created(7, 6)]))).toEqual([6]);
  });

  test("is evicted with its users when its screen is closed, and the dot stays", () => {
    const state = loadNotifications(opened(), page([1], 5));
    const shown = {
      views: new Set([NOTIFICATIONS_VIEW]),
      posts: new Set<number>(),
      profiles: new Set<number>(),
      people: new Set<number>(),
    };
    expect(listed(evict(state, shown).state)).toEqual([1]);
    expect(evict(state, shown).state.users[BEN.id]).toEqual(BEN);
    const left = evict(state, { ...shown, views: new Set() }).state;
    expect(left.notifications.status).toBe("none");
    expect(left.users[BEN.id]).toBe(undefined);
    expect(hasDot(left)).toBe(true);
    expect(listed(apply(left, created(6, 2)))).toEqual([]);
  });

  test("is replaced by the next page after a resync, whatever its seq", () => {
    const state = forgetSeqs(
      applyAll(loadNotifications(opened(), page([1, 2, 3], 50)), [gone(51, [3], true), seenAll(52)]),
    );
    expect(listed(loadNotifications(state, page([4, 2], 2)))).toEqual([4, 2]);
    expect(hasDot(loadNotifications(state, page([4, 2], 2)))).toBe(true);
  });
});

describe("on a live connection", () => {
  const back = (tab: TestTab, hello: object): void => {
    tab.wire().drop(1006);
    tab.clock.pass(4_000);
    tab.wire().hello(hello);
  };
  const meNow = (has_unread: boolean) => ({ seq: 20, me: aMe({ has_unread }) });

  test("the dot has the state of `hello` after a reconnect, and then of the replayed events", () => {
    const tab = aLiveTab();
    tab.wire().event(created(11, 1));
    back(tab, meNow(true));
    tab.wire().event(seenAll(15));
    tab.wire().event(created(18, 2));
    tab.wire().answer("live.resume", { resync: false, seq: 20 });
    expect(hasDot(tab.client.state)).toBe(true);
    back(tab, { ...meNow(false), seq: 25 });
    tab.wire().event(seenAll(22));
    tab.wire().answer("live.resume", { resync: false, seq: 25 });
    expect(hasDot(tab.client.state)).toBe(false);
  });

  test("the dot stays hidden during a lost connection while `notifications.read` is unanswered", () => {
    const tab = aLiveTab();
    tab.wire().event(created(11, 1));
    tab.client.update((s) => setNotifications(s, { looks: 1 }));
    back(tab, meNow(true));
    tab.wire().answer("live.resume", { resync: false, seq: 20 });
    expect(hasDot(tab.client.state)).toBe(false);
  });

  test("the dot is read after a resync, and so is the list as far as it was loaded", async () => {
    const tab = aLiveTab();
    tab.client.onScreen(`view:${NOTIFICATIONS_VIEW}`);
    tab.client.update((s) =>
      loadNotifications(setNotifications(s, { status: "loading" }), page([3, 2, 1], 12)),
    );
    back(tab, { ...meNow(false), epoch: "e2", seq: 2 });
    tab.wire().answer("live.resume", { resync: true, seq: 2 });
    await settle();
    tab.wire().answer("notifications.page", page([5, 3], 2, { older: 3 }));
    await settle();
    expect(tab.wire().last("notifications.page").before).toBe(3);
    tab.wire().answer("notifications.page", page([1], 2));
    await settle();
    expect(listed(tab.client.state)).toEqual([5, 3, 1]);
    expect(hasDot(tab.client.state)).toBe(true);
  });
});
