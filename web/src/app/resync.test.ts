import { expect, test } from "vitest";
import { settle } from "../testing/fakeSocket";
import { loadFirstPage } from "../features/shared/posts/read";
import type { TestTab } from "../testing/fixtures";
import { ANA, BEN, aComment, aLiveTab, aMe, aView } from "../testing/fixtures";

const ZOE = { id: 7, name: "Zoë", photo_url: null };
const first_comments = [aComment(1, { text: "hi @7+Zoe" })];
const post = aView(100, { comments_count: 1, first_comments });

/** Ana was away too long, so everything on her screen is read again. The replies name these users. */
async function away(users: object[], isFeedRead = true): Promise<TestTab> {
  const tab = aLiveTab();
  tab.client.onScreen("view:feed:");
  tab.client.update((s) =>
    loadFirstPage(s, "feed:", {
      posts: [post],
      users: [ANA, BEN, ZOE],
      groups: [],
      older: null,
      follows_anyone: true,
      seq: 10,
    }),
  );
  tab.wire().drop(1006);
  tab.clock.pass(4_000);
  tab.wire().hello({ epoch: "e2", seq: 2, me: aMe() });
  tab.wire().answer("live.resume", { resync: true, seq: 2 });
  await settle();
  tab.wire().answer("posts.refresh", { posts: [post], users, groups: [], gone: [], seq: 2 });
  if (isFeedRead)
    tab
      .wire()
      .answer("posts.feed", { posts: [post], users, groups: [], older: null, follows_anyone: true, seq: 2 });
  else tab.wire().refuse("posts.feed", { code: "fault" });
  tab
    .wire()
    .answer("notifications.page", { notifications: [], users: [], older: null, has_unread: false, seq: 2 });
  await settle();
  return tab;
}

test("the name of a mentioned user who was deleted meanwhile is removed", async () => {
  const tab = await away([ANA, BEN]);
  expect(tab.client.state.users[ZOE.id]).toBe(undefined);
  expect(tab.client.state.users[BEN.id]).toEqual(BEN);
});

test("a mentioned user who still exists has their current name", async () => {
  const tab = await away([ANA, BEN, { ...ZOE, name: "Zoë Ek" }]);
  expect(tab.client.state.users[ZOE.id]?.name).toBe("Zoë Ek");
});

test("no user counts as deleted before every reply has arrived", async () => {
  const tab = await away([ANA, BEN], false);
  expect(tab.client.state.users[ZOE.id]).toEqual(ZOE);
});
