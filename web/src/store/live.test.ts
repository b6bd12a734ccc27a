import { describe, expect, test } from "vitest";
import { dice, settle } from "../wire/testing";
import type { AnyEvent } from "../wire/frames";
import { newKey } from "../wire/keys";
import { applyAll } from "./apply";
import { loadFirstPage } from "./load";
import { aComment, aLiveTab, aPost, aView, ANA, anasFeed, BEN, created, visible } from "./testing";
import type { Seat } from "./testing";

const feed = { posts: [aView(100)], users: [ANA, BEN], groups: [], older: null, follows_anyone: true, seq: 10 };

function withFeed(): Seat {
  const seat = aLiveTab();
  seat.client.hold("view:feed:");
  seat.client.update((s) => loadFirstPage(s, "feed:", feed));
  return seat;
}

function reconnect(seat: Seat, hello: object = {}): void {
  seat.wire().drop(1006);
  seat.clock.pass(4_000);
  seat.wire().hello(hello);
}

/** Comments come and go, one post is edited and others are made. */
function log(seed: number, length: number): AnyEvent[] {
  const roll = dice(seed);
  const events: AnyEvent[] = [];
  let ids: number[] = [];
  for (let seq = 11; seq < 11 + length; seq += 1) {
    const what = roll();
    if (what < 0.6) {
      ids = [...ids, 1_000 + seq];
      events.push({ ev: "comments.created", seq, comment: aComment(1_000 + seq), users: [BEN], comments_count: ids.length });
    } else if (what < 0.8 && ids.length > 0) {
      const gone = ids[Math.floor(roll() * ids.length)] as number;
      ids = ids.filter((id) => id !== gone);
      const first_comments = ids.slice(0, 2).map((id) => aComment(id));
      events.push({ ev: "comments.deleted", seq, post_id: 100, comment_id: gone, comments_count: ids.length, first_comments, users: [BEN] });
    } else if (what < 0.9) {
      events.push({ ev: "posts.updated", seq, post_id: 100, author_id: BEN.id, title: null, text: `edit ${seq}`, audience: { type: "public" }, groups: [], updated_at_ms: seq });
    } else events.push(created(seq, aPost(2_000 + seq)));
  }
  return events;
}

describe("catching up", () => {
  test("c2: live frames before, between and after the missed ones always end in the same place", async () => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const events = log(seed, 30);
      const roll = dice(seed * 31);
      const cut = Math.floor(roll() * 10);
      const later = 15 + Math.floor(roll() * 10);
      const seat = withFeed();
      for (const event of events.slice(0, cut)) seat.wire().event(event);
      reconnect(seat, { seq: 10 + later });
      const asked = seat.wire().last("live.resume");
      expect(asked.seq).toBe(cut === 0 ? 10 : events[cut - 1]?.seq);
      // What was missed, what is new, and some of it twice, in an order of chance.
      const mixed = [...events.slice(cut), ...events.slice(cut).filter(() => roll() < 0.3)]
        .map((event) => ({ event, at: roll() }))
        .sort((a, b) => a.at - b.at);
      for (const { event } of mixed) seat.wire().event(event);
      seat.wire().answer("live.resume", { resync: false, seq: 10 + later });
      await settle();
      expect(visible(seat.client.state)).toEqual(visible(applyAll(anasFeed([aView(100)]), events)));
      expect(seat.client.live.at).toBe(events.at(-1)?.seq);
    }
  });

  test("l4: however a line is cut among writes of several events, catching up makes the last one whole", async () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const roll = dice(seed * 17);
      let seq = 10;
      const events = log(seed, 30).map((event, at) => {
        if (at === 0 || roll() < 0.5) seq += 1;
        return { ...event, seq };
      });
      const cut = Math.floor(roll() * 20);
      const seat = withFeed();
      for (const event of events.slice(0, cut)) seat.wire().event(event);
      reconnect(seat, { seq });
      const cursor = seat.wire().last("live.resume").seq as number;
      expect(cursor).toBe(cut === 0 ? 10 : events[cut - 1]?.seq);
      for (const event of events.filter((one) => one.seq >= cursor)) seat.wire().event(event);
      seat.wire().answer("live.resume", { resync: false, seq });
      await settle();
      expect(visible(seat.client.state)).toEqual(visible(applyAll(anasFeed([aView(100)]), events)));
      expect(seat.client.state.views["feed:"]?.pile).toEqual(applyAll(anasFeed([aView(100)]), events).views["feed:"]?.pile);
      expect(seat.client.live.at).toBe(seq);
    }
  });

  test("l4: Ben's edit is cut in half: the post he shares with Ana anew waits under her pill all the same", async () => {
    const audience = { type: "public" as const };
    const edit: AnyEvent[] = [
      { ev: "posts.deleted", seq: 11, post_id: 100, author_id: BEN.id },
      { ev: "posts.updated", seq: 11, post_id: 100, author_id: BEN.id, title: null, text: "again", audience, groups: [], updated_at_ms: 511 },
      created(11, aPost(100, { text: "again", updated_at_ms: 511 })),
    ];
    for (let cut = 0; cut <= edit.length; cut += 1) {
      const seat = withFeed();
      for (const event of edit.slice(0, cut)) seat.wire().event(event);
      reconnect(seat, { seq: 11 });
      for (const event of edit) seat.wire().event(event);
      seat.wire().answer("live.resume", { resync: false, seq: 11 });
      await settle();
      expect(seat.client.state.views["feed:"]?.pile.map((one) => one.id)).toEqual([100]);
      // Nothing else happens, the line is lost again, and the same write comes a third time.
      reconnect(seat, { seq: 11 });
      expect(seat.wire().last("live.resume").seq).toBe(11);
      for (const event of edit) seat.wire().event(event);
      seat.wire().answer("live.resume", { resync: false, seq: 11 });
      await settle();
      expect(seat.client.state.views["feed:"]?.pile.map((one) => one.id)).toEqual([100]);
    }
  });

  test("c2: a line lost again while it catches up asks from the same place", async () => {
    const seat = withFeed();
    reconnect(seat);
    expect(seat.wire().last("live.resume").seq).toBe(10);
    seat.wire().event(created(40, aPost(500)));
    reconnect(seat);
    expect(seat.wire().last("live.resume").seq).toBe(10);
    seat.wire().event(created(30, aPost(499)));
    seat.wire().event(created(40, aPost(500)));
    seat.wire().answer("live.resume", { resync: false, seq: 40 });
    await settle();
    expect(seat.client.state.views["feed:"]?.pile.map((one) => one.id)).toEqual([500, 499]);
    expect(seat.client.live.at).toBe(40);
  });

  test("l4: resuming names what is shown, and requests wait until it is done", async () => {
    const seat = withFeed();
    seat.wire().drop(1006);
    void seat.client.ask("votes.set", { key: newKey(), post_id: 100, vote: "positive" });
    seat.clock.pass(4_000);
    seat.wire().hello();
    expect(seat.wire().last("live.resume")).toMatchObject({ epoch: "e1", seq: 10, posts: [100], profiles: [] });
    expect(seat.wire().sent.map((one) => one.op)).toEqual(["live.resume"]);
    seat.wire().answer("live.resume", { resync: false, seq: 10 });
    await settle();
    expect(seat.wire().sent.map((one) => one.op)).toEqual(["live.resume", "votes.set"]);
  });

  test("c6: on resync new posts go under the pill, what is listed stays, and the thread is whole again", async () => {
    const seat = withFeed();
    seat.client.update((s) => applyAll(s, [1, 2, 3].map((n): AnyEvent => ({ ev: "comments.created", seq: 10 + n, comment: aComment(n), users: [BEN], comments_count: n }))));
    reconnect(seat, { epoch: "e2", seq: 5 });
    seat.wire().answer("live.resume", { resync: true, seq: 5 });
    await settle();
    expect(seat.client.live.at).toBe(5);
    expect(seat.wire().last("posts.refresh").post_ids).toEqual([100]);
    const comments = [aComment(1), aComment(3), aComment(4)];
    seat.wire().answer("posts.refresh", { posts: [aView(100, { text: "mended", comments_count: 3, first_comments: comments.slice(0, 2) })], users: [BEN], groups: [], gone: [], seq: 5 });
    seat.wire().answer("posts.feed", { ...feed, posts: [aView(101), aView(100, { text: "mended", comments_count: 3, first_comments: comments.slice(0, 2) })], seq: 5 });
    await settle();
    seat.wire().answer("comments.page", { comments, users: [BEN], more: false, comments_count: 3, seq: 6 });
    await settle();
    const state = seat.client.state;
    expect(state.views["feed:"]).toMatchObject({ ids: [100], pile: [{ id: 101, author_id: 2 }] });
    expect(state.posts[100]).toMatchObject({ text: "mended", thread: [1, 3, 4], comments_count: 3 });
    // Events of the new epoch count, although their numbers are smaller than the old ones.
    seat.wire().event({ ev: "comments.created", seq: 7, comment: aComment(9), users: [BEN], comments_count: 4 });
    expect(seat.client.state.posts[100]?.thread).toEqual([1, 3, 4, 9]);
  });

  test("c5: a line that missed nothing asks one thing", async () => {
    const seat = withFeed();
    reconnect(seat);
    seat.wire().answer("live.resume", { resync: false, seq: 10 });
    await settle();
    expect(seat.wire().sent).toHaveLength(1);
    expect(seat.client.state.connection.state).toBe("live");
  });

  test("a beat moves the cursor, but not while the line is being resumed", async () => {
    const seat = withFeed();
    seat.wire().event({ ev: "beat", seq: 20, sent: 0 });
    expect(seat.client.live.at).toBe(20);
    reconnect(seat);
    seat.wire().event({ ev: "beat", seq: 90, sent: 0 });
    expect(seat.client.live.at).toBe(20);
    seat.wire().answer("live.resume", { resync: false, seq: 90 });
    await settle();
    expect(seat.client.live.at).toBe(90);
  });
});
