import { expect, test } from "vitest";
import { hasDot } from "../features/notifications/state";
import { loadFirstPage } from "../features/shared/posts/read";
import { settle } from "../testing/fakeSocket";
import type { TestTab } from "../testing/fixtures";
import { ANA, BEN, aLiveTab, aMe, aView } from "../testing/fixtures";
import { QUIET_SPREAD_MS } from "../engine/client";
import { isQuiet } from "../engine/state";

const quietMe = aMe({
  quiet_hours: { on: true, from: "22:00", to: "07:00", days: ["monday"], zone: "Europe/Berlin" },
  quiet_until_ms: 5_000,
});
const page = { users: [ANA, BEN], groups: [], older: null, follows_anyone: true };
const asked = (tab: TestTab, op: string) => tab.wire().sent.filter((one) => one.op === op).length;

/** A lost connection is tried again within this time. */
const RETURNS_MS = 4_000;

/** Ana reads Your Space in her quiet hours. */
function inQuietHours(): TestTab {
  const tab = aLiveTab();
  tab.client.onScreen("view:feed:");
  tab.client.update((s) => loadFirstPage(s, "feed:", { ...page, posts: [aView(100)], seq: 10 }));
  tab.wire().event({ ev: "account.changed", seq: 11, me: quietMe });
  return tab;
}

/** The server answers what the page reads at the end. Meanwhile Ben had posted. */
async function answers(tab: TestTab): Promise<void> {
  await settle();
  tab.wire().answer("posts.feed", { ...page, posts: [aView(101), aView(100)], seq: 20 });
  tab
    .wire()
    .answer("notifications.page", { notifications: [], users: [], older: null, has_unread: true, seq: 20 });
  await settle();
}

test("d-u4: at the end the dot appears, and posts that were not sent wait behind the button", async () => {
  const tab = inQuietHours();
  expect([isQuiet(tab.client.state), hasDot(tab.client.state)]).toEqual([true, false]);
  tab.clock.pass(QUIET_SPREAD_MS);
  expect(asked(tab, "posts.feed")).toBe(0);
  tab.wire().event({ ev: "account.changed", seq: 12, me: aMe({ has_unread: true }) });
  expect(hasDot(tab.client.state)).toBe(true);
  tab.clock.pass(QUIET_SPREAD_MS);
  await answers(tab);
  expect(tab.client.state.views["feed:"]).toMatchObject({ ids: [100], waiting: [{ id: 101 }] });
});

test("d-u4: a page that returns after their end reads what was not sent", async () => {
  const tab = inQuietHours();
  tab.wire().drop(1006);
  tab.clock.pass(RETURNS_MS);
  tab.wire().hello({ seq: 19, me: aMe({ has_unread: true }) });
  tab.wire().answer("live.resume", { resync: false, seq: 19 });
  tab.clock.pass(QUIET_SPREAD_MS);
  await answers(tab);
  expect(tab.client.state.views["feed:"]?.waiting).toMatchObject([{ id: 101 }]);
});

test("d-u3: a page that reads everything again in them does not ask for notifications that nobody shows", async () => {
  const tab = inQuietHours();
  tab.wire().drop(1006);
  tab.clock.pass(RETURNS_MS);
  tab.wire().hello({ epoch: "e2", seq: 2, me: quietMe });
  tab.wire().answer("live.resume", { resync: true, seq: 2 });
  await settle();
  expect([asked(tab, "posts.feed"), asked(tab, "notifications.page")]).toEqual([1, 0]);
});

test("the end of the login is no end of quiet hours", () => {
  const tab = inQuietHours();
  tab.wire().drop(4001);
  tab.clock.pass(RETURNS_MS);
  expect(tab.client.state.session.me).toBe(null);
  expect(asked(tab, "posts.feed")).toBe(0);
});

/** They end, and the page reads this first page of posts, below which there are older ones. */
async function readsAtTheEnd(tab: TestTab, ids: readonly number[]): Promise<void> {
  tab.wire().event({ ev: "account.changed", seq: 12, me: aMe({ has_unread: true }) });
  tab.clock.pass(QUIET_SPREAD_MS);
  await settle();
  const posts = ids.map((id) => aView(id));
  tab.wire().answer("posts.feed", { ...page, posts, older: ids.at(-1) ?? null, seq: 20 });
  await settle();
}

test("d-u4: after a night of more posts than a page has, the button reads the list again, so that none is missing", async () => {
  const tab = inQuietHours();
  await readsAtTheEnd(tab, [132, 131]);
  expect(tab.client.state.views["feed:"]).toMatchObject({
    ids: [100],
    waiting: [{ id: 132 }, { id: 131 }],
    stale: true,
  });
});

test("a page of the server that joins the list is not read twice", async () => {
  const tab = inQuietHours();
  await readsAtTheEnd(tab, [101, 100]);
  expect(tab.client.state.views["feed:"]).toMatchObject({ waiting: [{ id: 101 }], stale: false });
});

test("who logs out at their end does not read as a guest", async () => {
  const tab = inQuietHours();
  tab.wire().event({ ev: "account.changed", seq: 12, me: aMe() });
  tab.wire().drop(4001);
  tab.clock.pass(RETURNS_MS);
  await settle();
  expect(asked(tab, "posts.feed")).toBe(0);
});
