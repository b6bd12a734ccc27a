// Tapes recorded by the server's tests: what a page read before, plus the events it then heard, must
// look exactly like what a fresh page reads after.

import { describe, expect, test } from "vitest";
import type { AnyEvent, Op } from "../wire/frames";
import { applyAll } from "./apply";
import { insertPile, loadFirstPage, loadPosts, loadProfile, loadRefreshed } from "./load";
import { loadMoods } from "./loadMoods";
import { loadOlderPolls, loadPolls } from "./loadPolls";
import { loadNotices, note } from "./notifications";
import { holdUsers } from "./people";
import { poll } from "./polls";
import { holdPage } from "./thread";
import type { State } from "./state";
import { themeKnown } from "./theme";
import { authorView, emptyState, feedView } from "./state";
import { aMe, visible } from "./testing";

type Step = { op: Op; fields: Record<string, unknown>; ok: never };
type Tape = { name: string; me: number; before: Step[]; events: AnyEvent[]; after: Step[] };

const files = import.meta.glob<Tape>("../../../tests/tapes/*.json", { eager: true, import: "default" });
const tapes = Object.values(files);

function load(state: State, { op, fields, ok }: Step): State {
  const reply = ok as never as Record<string, never>;
  // The first word of a line is no request, but it tells who one is and whether something is new.
  if ((op as string) === "hello") return { ...state, session: { ...state.session, me: reply.me as never } };
  switch (op) {
    case "posts.feed":
      return loadFirstPage(state, feedView((fields.tag as string | null) ?? null), ok);
    case "posts.by_author":
      return loadFirstPage(state, authorView(fields.user_id as number), ok);
    case "posts.get":
      return loadPosts(state, [reply.post as never], reply.users as never, reply.seq as never);
    case "posts.refresh":
      return loadRefreshed(state, reply.posts as never, reply.users as never, reply.gone as never, reply.seq as never);
    case "comments.page":
      return holdPage(
        holdUsers(state, reply.users as never, reply.seq as never),
        fields.post_id as number,
        (fields.after as number | null) ?? null,
        reply.comments as never,
        reply.comments_count as never,
        reply.seq as never,
      );
    case "notifications.page":
      return loadNotices(note(state, { status: "loading" }), ok);
    case "profiles.get":
      return loadProfile(state, reply.profile as never, reply.seq as never);
    case "moods.today":
      return loadMoods(state, ok);
    case "polls.list":
      return fields.before === null ? loadPolls(state, ok) : loadOlderPolls(state, fields.before as number, ok);
    case "theme.get":
      return themeKnown(state, reply.theme as never, reply.seq as never);
    default:
      return state;
  }
}

const fresh = (me: number): State => ({ ...emptyState(), session: { phase: "signed-in", me: aMe({ id: me, name: "" }) } });

/** What waits under a pill was heard by name only; a reader would press it before comparing. */
function pressed(state: State, after: State): State {
  const { ids, pile, items } = state.polls;
  const asked = pile.flatMap((one) => after.polls.items[one.id] ?? []);
  const listed = poll(state, { pile: [], ids: [...ids, ...asked.map((one) => one.id)], items: { ...items, ...Object.fromEntries(asked.map((one) => [one.id, one])) } });
  return pressedPosts(listed, after);
}

function pressedPosts(state: State, after: State): State {
  return Object.keys(state.views).reduce((next, name) => {
    const asked = state.views[name]?.pile.map((post) => post.id) ?? [];
    const held = asked.flatMap((id) => after.posts[id] ?? []);
    const listed = insertPile(next, name, asked, [], [], [], 0);
    const view = listed.views[name];
    if (view === undefined) return listed;
    const ids = [...held.map((post) => post.id), ...view.ids].sort((a, b) => b - a);
    const posts = { ...listed.posts };
    const comments = { ...listed.comments };
    for (const post of held) {
      posts[post.id] ??= post;
      for (const id of post.thread) if (after.comments[id] !== undefined) comments[id] ??= after.comments[id];
    }
    return { ...listed, posts, comments, views: { ...listed.views, [name]: { ...view, ids } } };
  }, state);
}

/** A post that was removed while listed is simply absent from a fresh page. */
function swept(state: State): State {
  const there = Object.entries(state.posts).filter(([, post]) => !post.removed);
  const views = Object.entries(state.views).map(([name, view]) => [name, { ...view, ids: view.ids.filter((id) => !state.posts[id]?.removed) }]);
  return { ...state, posts: Object.fromEntries(there), views: Object.fromEntries(views) };
}

/** Who was there has more of a thread than a fresh page, which begins with its two oldest: only as much is compared. */
function cut(state: State, after: State): State {
  const posts = Object.entries(state.posts).map(([id, post]) => [id, { ...post, thread: post.thread.slice(0, after.posts[post.id]?.thread.length) }]);
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
      const lived = pressed(applyAll(before, tape.events), after);
      expect(visible(cut(swept(lived), after))).toEqual(visible(swept(after)));
      expect(visible(swept(applyAll(lived, tape.events)))).toEqual(visible(swept(lived)));
    });
});
