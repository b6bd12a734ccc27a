// Tapes recorded by the server's tests: what a page read before, plus the events it then received, must
// look exactly like what a fresh page reads after.

import { describe, expect, test } from "vitest";
import type { AnyEvent, Ok, Op } from "../engine/frames";
import type { Comment } from "../engine/types.gen";
import { applyAll } from "../engine/apply";
import { groupsListed } from "../features/shared/groups/groups";
import { groupRead } from "../features/groups/members";
import { insertPile, loadFirstPage, loadPosts, loadRefreshed } from "../features/shared/posts/read";
import { loadProfile } from "../features/shared/people/profiles";
import { loadMoods } from "../features/moods/read";
import { loadOlderPolls, loadPolls } from "../features/polls/read";
import { loadNotifications, note } from "../features/notifications/state";
import { storeUsers } from "../features/shared/people/people";
import { poll } from "../features/polls/state";
import { ownAuthorOnly } from "../features/shared/posts/posts";
import { storeCommentPage } from "../features/shared/posts/thread";
import type { ListView } from "../features/shared/posts/types";
import type { State } from "../engine/state";
import { themeKnown } from "../features/theme/state";
import { authorView, feedView } from "../features/shared/posts/types";
import { emptyState } from "../engine/feature";
import { newestFirst } from "../engine/state";
import { aMe, visible } from "../testing/fixtures";

type Step = { op: Op; fields: Record<string, unknown>; ok: never };
type Tape = { name: string; me: number; before: Step[]; events: AnyEvent[]; after: Step[] };

const files = import.meta.glob<Tape>("../../../tests/tapes/*.json", { eager: true, import: "default" });
const tapes = Object.values(files);

function load(state: State, { op, fields, ok }: Step): State {
  const reply = ok as never as Record<string, never>;
  // The first word of a connection is no request, but it tells who one is and whether something is new.
  if ((op as string) === "hello") return { ...state, session: { ...state.session, me: reply.me as never } };
  switch (op) {
    case "posts.feed":
      return loadFirstPage(state, feedView((fields.tag as string | null) ?? null), ok);
    case "posts.by_author":
      return loadFirstPage(state, authorView(fields.user_id as number), ok);
    case "posts.get":
      return loadPosts(state, { ...(ok as Ok<"posts.get">), posts: [reply.post as never] });
    case "posts.refresh":
      return loadRefreshed(state, ok);
    case "comments.page":
      return storeCommentPage(
        storeUsers(state, reply.users as never, reply.seq as never),
        fields.post_id as number,
        (fields.after as number | null) ?? null,
        reply.comments as never,
        reply.comments_count as never,
        reply.seq as never,
      );
    case "notifications.page":
      return loadNotifications(note(state, { status: "loading" }), ok);
    case "profiles.get":
      return loadProfile(state, reply.profile as never, reply.seq as never);
    case "moods.today":
      return loadMoods(state, ok);
    case "polls.list":
      return fields.before === null
        ? loadPolls(state, ok)
        : loadOlderPolls(state, fields.before as number, ok);
    case "groups.list":
      return groupsListed(state, ok);
    case "groups.get":
      return groupRead(state, ok);
    case "theme.get":
      return themeKnown(state, reply.theme as never, reply.seq as never);
    default:
      throw new Error(
        `load() does not know the reply to ${op}: add it here, and what a page shows of it to visible()`,
      );
  }
}

const NOTHING = { posts: [], users: [], groups: [], gone: [], seq: 0 };

const fresh = (me: number): State => ({
  ...emptyState(),
  session: { phase: "signed-in", me: aMe({ id: me, name: "" }) },
});

/** What waits under a pill was received by name only; a reader would press it before comparing. */
function pressed(state: State, after: State): State {
  const { ids, pile, items } = state.polls;
  const asked = pile.flatMap((one) => after.polls.items[one.id] ?? []);
  const listed = poll(state, {
    pile: [],
    ids: [...ids, ...asked.map((one) => one.id)],
    items: { ...items, ...Object.fromEntries(asked.map((one) => [one.id, one])) },
  });
  return pressedPosts(listed, after);
}

function pressedPosts(state: State, after: State): State {
  return Object.keys(state.views).reduce((next, name) => {
    const asked = state.views[name]?.pile.map((post) => post.id) ?? [];
    const held = asked.flatMap((id) => after.posts[id] ?? []);
    const listed = insertPile(next, name, asked, NOTHING);
    const view = listed.views[name];
    if (view === undefined) return listed;
    const ids = newestFirst([...held.map((post) => post.id), ...view.ids]);
    const posts = { ...listed.posts };
    const comments = { ...listed.comments };
    for (const post of held) {
      // One that went and is shared again stands where its connection was.
      if (posts[post.id]?.removed !== false) posts[post.id] = post;
      for (const id of post.thread) if (after.comments[id] !== undefined) comments[id] ??= after.comments[id];
    }
    return { ...listed, posts, comments, views: { ...listed.views, [name]: { ...view, ids } } };
  }, state);
}

/**
 * Who came into a group, or whose post found its way to more people, reads again what is only then told: the
 * lists when they are next opened, one's own posts that had lost the group, and the lines that said nothing of it.
 */
function reopened(lived: State, after: State, events: readonly AnyEvent[]): State {
  if (!events.some((event) => event.ev === "groups.joined" || event.ev === "posts.updated")) return lived;
  const stale = Object.keys(lived.views).filter(
    (name) => lived.views[name]?.stale && after.views[name] !== undefined,
  );
  const read = stale.flatMap((name) => after.views[name]?.ids ?? []);
  const again = [...read, ...ownAuthorOnly(lived)].flatMap((id) => after.posts[id] ?? []);
  const posts = { ...lived.posts, ...Object.fromEntries(again.map((post) => [post.id, post])) };
  const comments = {
    ...lived.comments,
    ...Object.fromEntries(
      again.flatMap((post) => post.thread.map((id) => [id, after.comments[id] as Comment])),
    ),
  };
  const views = {
    ...lived.views,
    ...Object.fromEntries(stale.map((name) => [name, after.views[name] as ListView])),
  };
  const { stale: hasNewPolls } = lived.polls;
  return {
    ...lived,
    posts,
    comments,
    views,
    polls: hasNewPolls ? after.polls : lived.polls,
    users: { ...lived.users, ...after.users },
  };
}

/** Lines of notifications that may say less now, or more, are read again at once. */
const relooked = (lived: State, after: State): State =>
  lived.notifications.stale
    ? { ...lived, notifications: after.notifications, users: { ...after.users, ...lived.users } }
    : lived;

/** A post that was removed while listed is simply absent from a fresh page. */
function swept(state: State): State {
  const there = Object.entries(state.posts).filter(([, post]) => !post.removed);
  const views = Object.entries(state.views).map(([name, view]) => [
    name,
    { ...view, ids: view.ids.filter((id) => !state.posts[id]?.removed) },
  ]);
  return { ...state, posts: Object.fromEntries(there), views: Object.fromEntries(views) };
}

/** Who was there has more of a thread than a fresh page, which begins with its two oldest: only as much is compared. */
function cut(state: State, after: State): State {
  const posts = Object.entries(state.posts).map(([id, post]) => [
    id,
    { ...post, thread: post.thread.slice(0, after.posts[post.id]?.thread.length) },
  ]);
  return { ...state, posts: Object.fromEntries(posts) };
}

describe("tapes: before and events make after", () => {
  test("the folder is read", () => {
    expect(Array.isArray(tapes)).toBe(true);
  });
  for (const tape of tapes)
    test(`tape_${tape.name}`, () => {
      const before = tape.before.reduce(load, fresh(tape.me));
      const after = tape.after.reduce(load, fresh(tape.me));
      const heard = reopened(relooked(applyAll(before, tape.events), after), after, tape.events);
      const lived = pressed(heard, after);
      expect(shown(heard), "the page shows nothing of these events: add it to visible()").not.toEqual(
        shown(before),
      );
      // Only a tape that begins with hello knows who one is.
      if (tape.after.some(({ op }) => (op as string) === "hello"))
        expect(lived.session.me).toEqual(after.session.me);
      expect(visible(cut(swept(lived), after))).toEqual(visible(swept(after)));
      expect(visible(swept(applyAll(lived, tape.events)))).toEqual(visible(swept(lived)));
    });
});

/** All that a line receives that is cut after `count` of these: catching up begins with the whole last write. */
function resumedAfter(events: readonly AnyEvent[], count: number): AnyEvent[] {
  const received = events.slice(0, count);
  const cursor = Math.max(0, ...received.map((event) => event.seq));
  return [...received, ...events.filter((event, at) => at >= count || event.seq >= cursor)];
}

/** What can be seen, and what waits under the pills or is to be read again. */
const shown = (state: State): unknown => [
  visible(state),
  state.session.me,
  Object.values(state.views).map(({ ids, pile, stale }) => [ids, pile, stale]),
  state.polls.ids,
  state.polls.pile,
  state.notifications.fresh,
  state.pending,
];

describe("tapes: a write comes again", () => {
  for (const tape of tapes) {
    const before = tape.before.reduce(load, fresh(tape.me));
    const once = shown(applyAll(before, tape.events));
    const first = Math.min(...tape.events.map((event) => event.seq));
    const asOne = tape.events.map((event) => ({ ...event, seq: first }));

    test(`tape_${tape.name}: the last write twice`, () => {
      const last = Math.max(...tape.events.map((event) => event.seq));
      expect(
        shown(applyAll(before, [...tape.events, ...tape.events.filter((event) => event.seq === last)])),
      ).toEqual(once);
    });
    test(`tape_${tape.name}: all events with one seq, once and twice`, () => {
      expect(shown(applyAll(before, asOne))).toEqual(once);
      expect(shown(applyAll(before, [...asOne, ...asOne]))).toEqual(once);
    });
    test(`tape_${tape.name}: cut anywhere and resumed`, () => {
      for (const events of [tape.events, asOne])
        for (let count = 0; count <= events.length; count += 1)
          expect(shown(applyAll(before, resumedAfter(events, count)))).toEqual(once);
    });
  }
});
