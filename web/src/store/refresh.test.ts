import { expect, test } from "vitest";
import { settle } from "../wire/testing";
import { loadFirstPage } from "./load";
import type { Seat } from "./testing";
import { ANA, BEN, aComment, aLiveTab, aMe, aView } from "./testing";

const ZOE = { id: 7, name: "Zoë", photo_url: null };
const first_comments = [aComment(1, { text: "hi @7+Zoe" })];
const post = aView(100, { comments_count: 1, first_comments });

/** Ana was away for too long; everything on her screen is read again, and the posts name these people. */
async function away(users: object[], answered = true): Promise<Seat> {
  const seat = aLiveTab();
  seat.client.hold("view:feed:");
  seat.client.update((s) => loadFirstPage(s, "feed:", { posts: [post], users: [ANA, BEN, ZOE], groups: [], older: null, follows_anyone: true, seq: 10 }));
  seat.wire().drop(1006);
  seat.clock.pass(4_000);
  seat.wire().hello({ epoch: "e2", seq: 2, me: aMe() });
  seat.wire().answer("live.resume", { resync: true, seq: 2 });
  await settle();
  seat.wire().answer("posts.refresh", { posts: [post], users, groups: [], gone: [], seq: 2 });
  if (answered) seat.wire().answer("posts.feed", { posts: [post], users, groups: [], older: null, follows_anyone: true, seq: 2 });
  else seat.wire().refuse("posts.feed", { code: "fault" });
  seat.wire().answer("notifications.page", { notifications: [], users: [], older: null, has_unread: false, seq: 2 });
  await settle();
  return seat;
}

test("who is mentioned and went while the line was away is a name no longer", async () => {
  const seat = await away([ANA, BEN]);
  expect(seat.client.state.users[ZOE.id]).toBe(undefined);
  expect(seat.client.state.users[BEN.id]).toEqual(BEN);
});

test("who is mentioned and still there stays, under the present name", async () => {
  const seat = await away([ANA, BEN, { ...ZOE, name: "Zoë Ek" }]);
  expect(seat.client.state.users[ZOE.id]?.name).toBe("Zoë Ek");
});

test("while an answer is missing, nobody is taken for gone", async () => {
  const seat = await away([ANA, BEN], false);
  expect(seat.client.state.users[ZOE.id]).toEqual(ZOE);
});
