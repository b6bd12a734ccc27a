import { beforeEach, expect, test, vi } from "vitest";
import { RefusedError } from "../../engine/ask";
import { newKey } from "../../engine/keys";
import { hexOf } from "../../features/shared/postDraft";
import { settle } from "../../testing/fakeSocket";
import { aLiveTab, aMe, aTab, aView } from "../../testing/fixtures";
import type { TestTab } from "../../testing/fixtures";
import { feedOf } from "./feed";
import { OfflineData, SAVE_FEED_MS } from "./offlineData";
import type { Database } from "./database";
import { askedBefore } from "./askedBefore";
import { loadFirstPage } from "../../features/shared/posts/read";

const sendAgain = vi.hoisted(() => vi.fn());
vi.mock("./sendAgain", () => ({ sendAgain }));

/** The database of one browser, which outlives its pages. */
class FakeDatabase implements Database {
  readonly all = new Map<string, unknown>();
  put(name: string, value: unknown): Promise<void> {
    this.all.set(name, structuredClone(value));
    return Promise.resolve();
  }
  drop(names: readonly string[]): Promise<void> {
    for (const name of names) this.all.delete(name);
    return Promise.resolve();
  }
  read(matches: (name: string) => boolean): Promise<[string, unknown][]> {
    return Promise.resolve([...this.all].filter(([name]) => matches(name)));
  }
  get names(): string[] {
    return [...this.all.keys()];
  }
}

let database: FakeDatabase;
const comment = (text = "Two sugars.") => ({
  key: newKey(),
  post_id: 100,
  text,
  audience: { type: "public" as const },
});
const page = (tab: TestTab = aLiveTab()) => ({
  tab,
  data: new OfflineData(tab.client, database, () => tab.page.hintIs),
});

beforeEach(() => {
  localStorage.clear();
  database = new FakeDatabase();
  sendAgain.mockReset();
  sendAgain.mockResolvedValue(undefined);
});

test("d-r4: a request is kept until it is answered", async () => {
  const { data } = page();
  const fields = comment();
  data.asked(1, "comments.create", fields);
  data.asked(1, "profiles.update" as never, { key: newKey() });
  expect(database.names).toEqual([`1/unsent/${hexOf(fields.key)}`]);
  data.ended(1, "comments.create", fields, null, true);
  await settle();
  expect(database.names).toEqual([]);
});

test("d-r4: a post with pictures is not kept as a request, because its draft keeps it", async () => {
  const { data } = page();
  const fields = { key: newKey(), text: "By the harbour.", pictures: [{ upload: newKey(), alt: null }] };
  data.asked(1, "posts.create", fields);
  expect(database.names).toEqual([]);
  const gone = new RefusedError("upload_gone", "Please add the pictures again.");
  data.ended(1, "posts.create", fields, gone, true);
  await settle();
  expect(database.names).toEqual([]);
  data.asked(1, "posts.create", { ...fields, pictures: null });
  expect(database.names).toHaveLength(1);
});

test("d-r4: a later page sends the person's requests again, in order and with their keys, and nobody else's", async () => {
  const { data } = page();
  const [one, two] = [comment("one"), comment("two")];
  data.asked(1, "comments.create", one);
  data.asked(1, "votes.set", { key: two.key, post_id: 100, vote: "positive" });
  data.asked(2, "comments.create", comment("of Ben"));
  const later = page();
  await later.data.known(1);
  expect(sendAgain.mock.calls.map(([op, { key }]) => [op, hexOf(key as ArrayBuffer)])).toEqual([
    ["comments.create", hexOf(one.key)],
    ["votes.set", hexOf(two.key)],
  ]);
  await later.data.known(1);
  expect(sendAgain).toHaveBeenCalledTimes(2);
  expect(database.names.some((name) => name.startsWith("2/"))).toBe(false);
});

test("d-r4: a page does not send its own requests a second time", async () => {
  const { tab, data } = page();
  const fields = comment();
  data.asked(1, "comments.create", fields);
  void tab.client.ask("comments.create", fields);
  await data.known(1);
  expect(sendAgain).not.toHaveBeenCalled();
});

test("d-r5: a refused comment of an earlier page waits for the person, and is then sent as a new request", async () => {
  const fields = comment();
  page().data.asked(1, "comments.create", fields);
  const { tab, data } = page();
  sendAgain.mockImplementationOnce((op, again: { key: ArrayBuffer }) => {
    const no = new RefusedError("not_found", "This post isn't there.");
    data.ended(1, op, again, no, true);
    return Promise.reject(no);
  });
  await data.known(1);
  await settle();
  const waits = { key: hexOf(fields.key), text: "Two sugars.", reason: "This post isn't there." };
  expect(tab.client.state.notSent).toMatchObject([waits]);
  expect(await data.count(1)).toBe(1);

  // On the next page the comment still waits, and is not sent by itself.
  const next = page();
  await next.data.known(1);
  expect(next.tab.client.state.notSent).toMatchObject([waits]);
  expect(sendAgain).toHaveBeenCalledTimes(1);
  await next.data.send(hexOf(fields.key));
  expect(next.tab.client.state.notSent).toEqual([]);
  const [, again] = sendAgain.mock.lastCall as [string, { key: ArrayBuffer; text: string }];
  expect(again.text).toBe("Two sugars.");
  expect(hexOf(again.key)).not.toBe(hexOf(fields.key));
});

test("d-r5: a refused vote is deleted, and so is a refused comment whose text is still in its box", async () => {
  const { tab, data } = page();
  const no = new RefusedError("not_found", "This post isn't there.");
  const vote = { key: newKey(), post_id: 100, vote: "positive" };
  data.asked(1, "votes.set", vote);
  askedBefore.set(vote.key, 1);
  data.ended(1, "votes.set", vote, no, true);
  const fields = comment();
  data.asked(1, "comments.create", fields);
  data.ended(1, "comments.create", fields, no, false);
  await settle();
  expect(database.names).toEqual([]);
  expect(tab.client.state.notSent).toEqual([]);
});

test("d-r2: the end of a login deletes only the feed; a log-out deletes everything of the person", async () => {
  const { tab, data } = page();
  tab.client.update((s) =>
    loadFirstPage(s, "feed:", { posts: [aView(100)], users: [], groups: [], older: null, seq: 1 }),
  );
  await database.put("1/feed", feedOf(tab.client.state, 5));
  data.asked(1, "comments.create", comment());
  await data.forgetFeeds();
  expect(database.names).toEqual([expect.stringMatching(/^1\/unsent\//)]);
  await data.forget(1);
  expect(database.names).toEqual([]);
});

test("d-r2: a feed that changes all the time is kept too", async () => {
  vi.useFakeTimers();
  const { tab } = page();
  for (let nth = 1; nth <= 5; nth += 1) {
    tab.client.update((s) =>
      loadFirstPage(s, "feed:", { posts: [aView(100 + nth)], users: [], groups: [], older: null, seq: nth }),
    );
    await vi.advanceTimersByTimeAsync(SAVE_FEED_MS - 100);
  }
  expect(database.names).toEqual(["1/feed"]);
  vi.useRealTimers();
});

test("d-r2: the feed of a visit that ends at once is kept", () => {
  vi.useFakeTimers();
  for (const end of [
    () => dispatchEvent(new Event("pagehide")),
    () => document.dispatchEvent(new Event("visibilitychange")),
  ]) {
    database = new FakeDatabase();
    const { tab } = page();
    tab.client.update((s) =>
      loadFirstPage(s, "feed:", { posts: [aView(100)], users: [], groups: [], older: null, seq: 1 }),
    );
    end();
    // The page has no more time.
    expect(database.names).toEqual(["1/feed"]);
  }
  vi.useRealTimers();
});

test("d-r3: a page without a network shows the feed of the person who was here last, until the server replies", async () => {
  const live = page();
  live.tab.client.update((s) =>
    loadFirstPage(s, "feed:", { posts: [aView(100)], users: [], groups: [], older: null, seq: 1 }),
  );
  await database.put("1/feed", feedOf(live.tab.client.state, 5));
  const { tab, data } = page(aTab());
  tab.client.login.open();
  await data.open();
  expect(tab.client.state).toMatchObject({
    kept: { savedMs: 5 },
    session: { phase: "unknown", me: aMe() },
    views: { "feed:": { ids: [100] } },
  });
  tab.wire().hello();
  expect(tab.client.state).toMatchObject({ kept: null, session: { phase: "signed-in" } });

  // Ben was here last, and no feed of his was kept.
  const bens = page(aTab("2"));
  bens.tab.client.login.open();
  await bens.data.open();
  expect(bens.tab.client.state).toMatchObject({ kept: { savedMs: null }, session: { me: null }, posts: {} });
});
