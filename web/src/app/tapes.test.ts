// Tapes recorded by the server's tests: what a page read before, plus the events it then received, must
// look exactly like what a fresh page reads after.

import { describe, expect, test } from "vitest";
import type { AnyEvent } from "../engine/frames";
import type { Comment, Me } from "../engine/types.gen";
import { applyAll } from "../engine/apply";
import { insertWaiting } from "../features/shared/posts/read";
import { setPolls } from "../features/polls/state";
import { ownOutside } from "../features/shared/posts/posts";
import type { ListView } from "../features/shared/posts/types";
import type { State } from "../engine/state";
import type { Loads } from "../engine/feature";
import { emptyState } from "../engine/feature";
import { newestFirst } from "../engine/state";
import { aMe, visible } from "../testing/fixtures";

type Step = { op: string; fields: never; ok: never };
type Tape = { name: string; me: number; before: Step[]; events: AnyEvent[]; after: Step[] };

const files = import.meta.glob<Tape>("../../../tests/tapes/*.json", { eager: true, import: "default" });
const tapes = Object.values(files);

type Load = (state: State, ok: never, fields: never) => State;

const apis = import.meta.glob<{ loads?: Loads }>("../features/**/api.ts", { eager: true });

/** The `loads` of every feature, with the file of each. Throws if two features load one reply. */
function loadsOf(files: typeof apis): Map<string, { file: string; load: Load }> {
  const all = new Map<string, { file: string; load: Load }>();
  for (const [file, { loads = {} }] of Object.entries(files))
    for (const [op, load] of Object.entries(loads) as [string, Load][]) {
      const other = all.get(op)?.file;
      if (other !== undefined)
        throw new Error(`${other} and ${file} both load the reply to ${op}: remove one from its \`loads\``);
      all.set(op, { file, load });
    }
  return all;
}

const loads = loadsOf(apis);

function load(state: State, { op, fields, ok }: Step): State {
  // `hello` is no request. It has the account, and says whether a notification is new.
  if (op === "hello") return { ...state, session: { ...state.session, me: (ok as { me: Me }).me } };
  const held = loads.get(op);
  if (held === undefined)
    throw new Error(
      `No feature loads the reply to ${op}: add it to \`loads\` in the feature's api.ts, such as web/src/features/${op.split(".")[0]}/api.ts`,
    );
  return held.load(state, ok, fields);
}

const NOTHING = { posts: [], users: [], groups: [], gone: [], seq: 0 };

const fresh = (me: number): State => ({
  ...emptyState(),
  session: { phase: "signed-in", me: aMe({ id: me, name: "" }) },
});

/** Shows the waiting posts and polls, as a press on their button does. Only their ids were received. */
function showWaiting(state: State, after: State): State {
  const { ids, waiting, items } = state.polls;
  const asked = waiting.flatMap((one) => after.polls.items[one.id] ?? []);
  const listed = setPolls(state, {
    waiting: [],
    ids: [...ids, ...asked.map((one) => one.id)],
    items: { ...items, ...Object.fromEntries(asked.map((one) => [one.id, one])) },
  });
  return showWaitingPosts(listed, after);
}

function showWaitingPosts(state: State, after: State): State {
  return Object.keys(state.views).reduce((next, name) => {
    const asked = state.views[name]?.waiting.map((post) => post.id) ?? [];
    const held = asked.flatMap((id) => after.posts[id] ?? []);
    const listed = insertWaiting(next, name, asked, NOTHING);
    const view = listed.views[name];
    if (view === undefined) return listed;
    const ids = newestFirst([...held.map((post) => post.id), ...view.ids]);
    const posts = { ...listed.posts };
    const comments = { ...listed.comments };
    for (const post of held) {
      // A removed post that is shared with the viewer again takes the place of its line `Removed`.
      if (posts[post.id]?.removed !== false) posts[post.id] = post;
      for (const id of post.thread) if (after.comments[id] !== undefined) comments[id] ??= after.comments[id];
    }
    return { ...listed, posts, comments, views: { ...listed.views, [name]: { ...view, ids } } };
  }, state);
}

/** Events after which a viewer may see more: they joined a group, a post got a wider audience, or they saved it. */
const WIDENING = ["groups.joined", "posts.updated", "saved.changed"];

/** Reads again what a viewer may see only after these events: stale lists, and own posts whose group was gone. */
function rereadStale(applied: State, after: State, events: readonly AnyEvent[]): State {
  if (!events.some((event) => WIDENING.includes(event.ev))) return applied;
  const stale = Object.keys(applied.views).filter(
    (name) => applied.views[name]?.stale && after.views[name] !== undefined,
  );
  const read = stale.flatMap((name) => after.views[name]?.ids ?? []);
  const again = [...read, ...ownOutside(applied)].flatMap((id) => after.posts[id] ?? []);
  const posts = { ...applied.posts, ...Object.fromEntries(again.map((post) => [post.id, post])) };
  const comments = {
    ...applied.comments,
    ...Object.fromEntries(
      again.flatMap((post) => post.thread.map((id) => [id, after.comments[id] as Comment])),
    ),
  };
  const views = {
    ...applied.views,
    ...Object.fromEntries(stale.map((name) => [name, after.views[name] as ListView])),
  };
  const { stale: hasNewPolls } = applied.polls;
  return {
    ...applied,
    posts,
    comments,
    views,
    polls: hasNewPolls ? after.polls : applied.polls,
    users: { ...applied.users, ...after.users },
  };
}

/** Reads notifications again whose text may have changed. */
const rereadNotifications = (applied: State, after: State): State =>
  applied.notifications.stale
    ? { ...applied, notifications: after.notifications, users: { ...after.users, ...applied.users } }
    : applied;

/** A post that was removed while listed is simply absent from a fresh page. */
function dropRemoved(state: State): State {
  const there = Object.entries(state.posts).filter(([, post]) => !post.removed);
  const views = Object.entries(state.views).map(([name, view]) => [
    name,
    { ...view, ids: view.ids.filter((id) => !state.posts[id]?.removed) },
  ]);
  return { ...state, posts: Object.fromEntries(there), views: Object.fromEntries(views) };
}

/** A page that was open holds more of a thread than a fresh page. Compares only as much as the fresh page has. */
function cut(state: State, after: State): State {
  const posts = Object.entries(state.posts).map(([id, post]) => [
    id,
    { ...post, thread: post.thread.slice(0, after.posts[post.id]?.thread.length) },
  ]);
  return { ...state, posts: Object.fromEntries(posts) };
}

describe("tapes: the reply to a request", () => {
  test("is loaded by one feature", () => {
    const file = { loads: { "theme.get": (state) => state } satisfies Loads };
    expect([...loadsOf({ "a/api.ts": file, "b/api.ts": {} }).keys()]).toEqual(["theme.get"]);
    expect(() => loadsOf({ "a/api.ts": file, "b/api.ts": file })).toThrow(
      "a/api.ts and b/api.ts both load the reply to theme.get: remove one from its `loads`",
    );
  });

  test("that no feature loads fails, and the message names the place for it", () => {
    const step = { op: "examples.list", fields: {} as never, ok: {} as never };
    expect(() => load(fresh(1), step)).toThrow(
      "add it to `loads` in the feature's api.ts, such as web/src/features/examples/api.ts",
    );
  });
});

describe("tapes: before and events make after", () => {
  test("the folder is read", () => {
    expect(Array.isArray(tapes)).toBe(true);
  });
  for (const tape of tapes)
    test(`tape_${tape.name}`, () => {
      const before = tape.before.reduce(load, fresh(tape.me));
      const after = tape.after.reduce(load, fresh(tape.me));
      const applied = rereadStale(
        rereadNotifications(applyAll(before, tape.events), after),
        after,
        tape.events,
      );
      const withWaiting = showWaiting(applied, after);
      expect(
        shown(applied),
        "the page shows nothing of these events: see SEEN and LEFT_OUT in web/src/testing/fixtures.ts",
      ).not.toEqual(shown(before));
      // Only a tape that begins with `hello` has the account.
      if (tape.after.some(({ op }) => op === "hello"))
        expect(withWaiting.session.me).toEqual(after.session.me);
      expect(visible(cut(dropRemoved(withWaiting), after))).toEqual(visible(dropRemoved(after)));
      expect(visible(dropRemoved(applyAll(withWaiting, tape.events)))).toEqual(
        visible(dropRemoved(withWaiting)),
      );
    });
});

/**
 * Returns what a page receives if its connection is cut after `count` events and it resumes: catching up begins with
 * the whole last write.
 */
function resumedAfter(events: readonly AnyEvent[], count: number): AnyEvent[] {
  const received = events.slice(0, count);
  const cursor = Math.max(0, ...received.map((event) => event.seq));
  return [...received, ...events.filter((event, at) => at >= count || event.seq >= cursor)];
}

/** What can be seen, and what waits under the pills or is to be read again. */
const shown = (state: State): unknown => [
  visible(state),
  state.session.me,
  Object.values(state.views).map(({ ids, waiting, stale }) => [ids, waiting, stale]),
  state.polls.ids,
  state.polls.waiting,
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
