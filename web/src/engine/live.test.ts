import { describe, expect, test } from "vitest";
import { seededRandom, settle } from "../testing/fakeSocket";
import type { AnyEvent } from "./frames";
import { newKey } from "./keys";
import { applyAll } from "./apply";
import { loadFirstPage } from "../features/shared/posts/read";
import {
  aDeletion,
  anEdit,
  aComment,
  aLiveTab,
  aPost,
  aView,
  ANA,
  anasFeed,
  BEN,
  created,
  visible,
} from "../testing/fixtures";
import type { TestTab } from "../testing/fixtures";

const feed = {
  posts: [aView(100)],
  users: [ANA, BEN],
  groups: [],
  older: null,
  follows_anyone: true,
  seq: 10,
};

function withFeed(): TestTab {
  const tab = aLiveTab();
  tab.client.onScreen("view:feed:");
  tab.client.update((s) => loadFirstPage(s, "feed:", feed));
  return tab;
}

test("each connection is counted, also one that missed nothing", () => {
  const tab = aLiveTab();
  expect(tab.client.state.connections).toBe(1);
  reconnect(tab);
  expect(tab.client.state.connections).toBe(2);
});

function reconnect(tab: TestTab, hello: object = {}): void {
  tab.wire().drop(1006);
  tab.clock.pass(4_000);
  tab.wire().hello(hello);
}

/** Events in which comments are created and deleted, one post is edited and others are created. */
function log(seed: number, length: number): AnyEvent[] {
  const random = seededRandom(seed);
  const events: AnyEvent[] = [];
  let ids: number[] = [];
  for (let seq = 11; seq < 11 + length; seq += 1) {
    const what = random();
    if (what < 0.6) {
      ids = [...ids, 1_000 + seq];
      events.push({
        ev: "comments.created",
        seq,
        comment: aComment(1_000 + seq),
        users: [BEN],
        comments_count: ids.length,
      });
    } else if (what < 0.8 && ids.length > 0) {
      const gone = ids[Math.floor(random() * ids.length)] as number;
      ids = ids.filter((id) => id !== gone);
      const first_comments = ids.slice(0, 2).map((id) => aComment(id));
      events.push({
        ev: "comments.deleted",
        seq,
        post_id: 100,
        comment_id: gone,
        comments_count: ids.length,
        first_comments,
        users: [BEN],
      });
    } else if (what < 0.9) {
      events.push(anEdit(seq, { text: `edit ${seq}` }));
    } else events.push(created(seq, aPost(2_000 + seq)));
  }
  return events;
}

describe("catching up", () => {
  test("c2: live events before, between and after the missed ones result in the same state", async () => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const events = log(seed, 30);
      const random = seededRandom(seed * 31);
      const cut = Math.floor(random() * 10);
      const later = 15 + Math.floor(random() * 10);
      const tab = withFeed();
      for (const event of events.slice(0, cut)) tab.wire().event(event);
      reconnect(tab, { seq: 10 + later });
      const asked = tab.wire().last("live.resume");
      expect(asked.seq).toBe(cut === 0 ? 10 : events[cut - 1]?.seq);
      // Missed and new events in a random order, some of them twice.
      const mixed = [...events.slice(cut), ...events.slice(cut).filter(() => random() < 0.3)]
        .map((event) => ({ event, at: random() }))
        .sort((a, b) => a.at - b.at);
      for (const { event } of mixed) tab.wire().event(event);
      tab.wire().answer("live.resume", { resync: false, seq: 10 + later });
      await settle();
      expect(visible(tab.client.state)).toEqual(visible(applyAll(anasFeed([aView(100)]), events)));
      expect(tab.client.live.at).toBe(events.at(-1)?.seq);
    }
  });

  test("l4: if a connection is cut within the events of a write, catching up completes that write", async () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const random = seededRandom(seed * 17);
      let seq = 10;
      const events = log(seed, 30).map((event, at) => {
        if (at === 0 || random() < 0.5) seq += 1;
        return { ...event, seq };
      });
      const cut = Math.floor(random() * 20);
      const tab = withFeed();
      for (const event of events.slice(0, cut)) tab.wire().event(event);
      reconnect(tab, { seq });
      const cursor = tab.wire().last("live.resume").seq as number;
      expect(cursor).toBe(cut === 0 ? 10 : events[cut - 1]?.seq);
      for (const event of events.filter((one) => one.seq >= cursor)) tab.wire().event(event);
      tab.wire().answer("live.resume", { resync: false, seq });
      await settle();
      expect(visible(tab.client.state)).toEqual(visible(applyAll(anasFeed([aView(100)]), events)));
      expect(tab.client.state.views["feed:"]?.waiting).toEqual(
        applyAll(anasFeed([aView(100)]), events).views["feed:"]?.waiting,
      );
      expect(tab.client.live.at).toBe(seq);
    }
  });

  test("l4: a post that Ben shares with Ana again waits behind her new posts button after a cut within his edit", async () => {
    const edit: AnyEvent[] = [
      aDeletion(11),
      anEdit(11),
      created(11, aPost(100, { text: "again", updated_at_ms: 511 })),
    ];
    for (let cut = 0; cut <= edit.length; cut += 1) {
      const tab = withFeed();
      for (const event of edit.slice(0, cut)) tab.wire().event(event);
      reconnect(tab, { seq: 11 });
      for (const event of edit) tab.wire().event(event);
      tab.wire().answer("live.resume", { resync: false, seq: 11 });
      await settle();
      expect(tab.client.state.views["feed:"]?.waiting.map((one) => one.id)).toEqual([100]);
      // The connection is lost again, and the same write arrives a third time.
      reconnect(tab, { seq: 11 });
      expect(tab.wire().last("live.resume").seq).toBe(11);
      for (const event of edit) tab.wire().event(event);
      tab.wire().answer("live.resume", { resync: false, seq: 11 });
      await settle();
      expect(tab.client.state.views["feed:"]?.waiting.map((one) => one.id)).toEqual([100]);
    }
  });

  test("c2: a connection lost again while catching up resumes from the same seq", async () => {
    const tab = withFeed();
    reconnect(tab);
    expect(tab.wire().last("live.resume").seq).toBe(10);
    tab.wire().event(created(40, aPost(500)));
    reconnect(tab);
    expect(tab.wire().last("live.resume").seq).toBe(10);
    tab.wire().event(created(30, aPost(499)));
    tab.wire().event(created(40, aPost(500)));
    tab.wire().answer("live.resume", { resync: false, seq: 40 });
    await settle();
    expect(tab.client.state.views["feed:"]?.waiting.map((one) => one.id)).toEqual([500, 499]);
    expect(tab.client.live.at).toBe(40);
  });

  test("l4: `live.resume` names the topics on screen, and other requests wait for its reply", async () => {
    const tab = withFeed();
    tab.wire().drop(1006);
    void tab.client.ask("votes.set", { key: newKey(), post_id: 100, vote: "positive" });
    tab.clock.pass(4_000);
    tab.wire().hello();
    expect(tab.wire().last("live.resume")).toMatchObject({
      epoch: "e1",
      seq: 10,
      posts: [100],
      profiles: [],
    });
    expect(tab.wire().sent.map((one) => one.op)).toEqual(["live.resume"]);
    tab.wire().answer("live.resume", { resync: false, seq: 10 });
    await settle();
    expect(tab.wire().sent.map((one) => one.op)).toEqual(["live.resume", "votes.set"]);
  });

  test("c6: after resync new posts wait behind the button, listed ones stay, and threads are complete", async () => {
    const tab = withFeed();
    tab.client.update((s) =>
      applyAll(
        s,
        [1, 2, 3].map((n): AnyEvent => ({
          ev: "comments.created",
          seq: 10 + n,
          comment: aComment(n),
          users: [BEN],
          comments_count: n,
        })),
      ),
    );
    reconnect(tab, { epoch: "e2", seq: 5 });
    tab.wire().answer("live.resume", { resync: true, seq: 5 });
    await settle();
    expect(tab.client.live.at).toBe(5);
    expect(tab.wire().last("posts.refresh").post_ids).toEqual([100]);
    const comments = [aComment(1), aComment(3), aComment(4)];
    tab.wire().answer("posts.refresh", {
      posts: [aView(100, { text: "mended", comments_count: 3, first_comments: comments.slice(0, 2) })],
      users: [BEN],
      groups: [],
      gone: [],
      seq: 5,
    });
    tab.wire().answer("posts.feed", {
      ...feed,
      posts: [
        aView(101),
        aView(100, { text: "mended", comments_count: 3, first_comments: comments.slice(0, 2) }),
      ],
      seq: 5,
    });
    await settle();
    tab.wire().answer("comments.page", { comments, users: [BEN], more: false, comments_count: 3, seq: 6 });
    await settle();
    const state = tab.client.state;
    expect(state.views["feed:"]).toMatchObject({ ids: [100], waiting: [{ id: 101, author_id: 2 }] });
    expect(state.posts[100]).toMatchObject({ text: "mended", thread: [1, 3, 4], comments_count: 3 });
    // Events of the new epoch are applied, although their seqs are smaller.
    tab
      .wire()
      .event({ ev: "comments.created", seq: 7, comment: aComment(9), users: [BEN], comments_count: 4 });
    expect(tab.client.state.posts[100]?.thread).toEqual([1, 3, 4, 9]);
  });

  test("c5: a connection that missed nothing sends one request", async () => {
    const tab = withFeed();
    reconnect(tab);
    tab.wire().answer("live.resume", { resync: false, seq: 10 });
    await settle();
    expect(tab.wire().sent).toHaveLength(1);
    expect(tab.client.state.connection.state).toBe("live");
  });

  test("a beat moves the cursor, but not while the connection is being resumed", async () => {
    const tab = withFeed();
    tab.wire().event({ ev: "beat", seq: 20, sent: 0 });
    expect(tab.client.live.at).toBe(20);
    reconnect(tab);
    tab.wire().event({ ev: "beat", seq: 90, sent: 0 });
    expect(tab.client.live.at).toBe(20);
    tab.wire().answer("live.resume", { resync: false, seq: 90 });
    await settle();
    expect(tab.client.live.at).toBe(90);
  });
});
