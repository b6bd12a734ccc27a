// Reading again what is on screen, after an interruption the server cannot account for.
//
// Promises: everything is changed in place. New posts wait under the pill, open threads stay open,
// typed words and the place on the page are not touched.

import { RefusedError } from "../wire/ask";
import type { Ask } from "../wire/ask";
import type { Ok } from "../wire/frames";
import type { Comment } from "../wire/types.gen";
import { apply } from "./apply";
import { forgetGroupTimes, groupsListed } from "./groups";
import { loadProfile, loadRefreshed, refreshFirstPage } from "./load";
import { mentioned } from "./mentions";
import { dotKnown, forgetNoticeTimes, loadNotices } from "./notifications";
import { holdUsers } from "./people";
import { holdPage } from "./thread";
import type { Id, State } from "./state";
import { asRead, without } from "./state";
import type { Shown } from "./evict";

const CHUNK = 30;

export type Refresh = { ask: Ask; update(how: (state: State) => State): void; state(): State; shown(): Shown };

/** Seqs of another epoch mean nothing: whatever is read next is the newer. */
export function forgetTimes(state: State): State {
  const each = <T extends object>(record: Record<Id, T>, zero: Partial<T>): Record<Id, T> =>
    Object.fromEntries(Object.entries(record).map(([id, value]) => [id, { ...value, ...zero }]));
  return {
    ...forgetNoticeTimes(state),
    posts: each(state.posts, { editedAt: 0, voteAt: 0, positiveAt: 0, countAt: 0, thereAt: 0 }),
    profiles: each(state.profiles, { asOf: 0, countedAt: 0 }),
    follows: each(state.follows, { at: 0 }),
    views: Object.fromEntries(Object.entries(state.views).map(([name, view]) => [name, { ...view, asOf: 0 }])),
    moods: { ...state.moods, asOf: 0, mineAt: 0, list: state.moods.list.map((one) => ({ ...one, at: 0 })) },
    polls: { ...state.polls, asOf: 0, gone: {}, items: each(state.polls.items, { at: 0 }) },
    groups: forgetGroupTimes(state),
    theme: { ...state.theme, at: 0 },
    deletedComments: {},
    renamedAt: {},
    goneAt: {},
    rereads: state.rereads + 1,
  };
}

export async function refreshAll({ ask: asks, update, state, shown }: Refresh): Promise<void> {
  const before = state();
  const { ask, named } = listening(asks);
  const lengths = new Map(Object.values(before.posts).map((post) => [post.id, post.thread.length]));
  const ids = Object.values(before.posts).filter((post) => !post.removed).map((post) => post.id);
  update(forgetTimes);
  const work: Promise<unknown>[] = [];
  // One page of posts after the other: they are the heaviest replies, and a server lets few be under way.
  const rereadPosts = async () => {
    for (let at = 0; at < ids.length; at += CHUNK) {
      const post_ids = ids.slice(at, at + CHUNK);
      const ok = await ask("posts.refresh", { post_ids });
      update((s) => loadRefreshed(s, ok));
      for (const id of post_ids) await rereadThread({ ask, update, state, shown }, id, lengths.get(id) ?? 0);
    }
  };
  work.push(rereadPosts());
  for (const name of Object.keys(before.views)) work.push(rereadView({ ask, update, state, shown }, name));
  for (const user_id of Object.keys(before.profiles).map(Number))
    work.push(rereadProfile({ ask, update, state, shown }, user_id));
  work.push(rereadNotices({ ask, update, state }, before.notices.items.length));
  if (before.groups.status === "ready") work.push(ask("groups.list", {}).then((ok) => update((s) => groupsListed(s, ok))));
  await Promise.allSettled(work);
  const people = named();
  if (people !== null) update((s) => forgetUnnamed(s, before, people));
}

/** Notes whom the answers name; null when one of them did not come. */
function listening(asks: Ask): { ask: Ask; named(): ReadonlySet<Id> | null } {
  const people = new Set<Id>();
  let isWhole = true;
  const ask: Ask = async (op, fields, options) => {
    try {
      const ok = await asks(op, fields, options);
      if ("users" in ok) for (const { id } of ok.users) people.add(id);
      return ok;
    } catch (error) {
      if (!(error instanceof RefusedError && error.code === "not_found")) isWhole = false;
      throw error;
    }
  };
  return { ask, named: () => (isWhole ? people : null) };
}

/** Who is mentioned and was named by no answer is no more: nobody told while the line was away. */
function forgetUnnamed(state: State, before: State, named: ReadonlySet<Id>): State {
  const isReread = ({ id }: Comment) => before.comments[id] !== undefined;
  const all = Object.values(state.comments);
  const since = new Set(all.filter((comment) => !isReread(comment)).flatMap(({ text }) => mentioned(text)));
  const gone = all
    .filter(isReread)
    .flatMap(({ text }) => mentioned(text))
    .filter((id) => !named.has(id) && !since.has(id) && id !== state.session.me?.id && state.profiles[id] === undefined);
  return gone.length === 0 ? state : { ...state, users: without(state.users, gone) };
}

/** A profile that is no longer there: its owner is gone, and nobody told while the line was away. */
async function rereadProfile({ ask, update }: Refresh, user_id: Id): Promise<void> {
  try {
    const ok = await ask("profiles.get", { user_id });
    update((s) => loadProfile(s, ok.profile, ok.seq));
  } catch (error) {
    if (error instanceof RefusedError && error.code === "not_found") update((s) => apply(s, { ev: "users.deleted", seq: 0, user_id }));
  }
}

async function rereadView({ ask, update }: Refresh, name: string): Promise<void> {
  if (name.startsWith("feed:")) {
    const tag = name.slice("feed:".length) || null;
    const ok = await ask("posts.feed", { tag, before: null });
    update((s) => refreshFirstPage(s, name, ok));
  } else {
    const ok = await ask("posts.by_author", { user_id: Number(name.slice("author:".length)), before: null });
    update((s) => refreshFirstPage(s, name, ok));
  }
}

/** Reads the notifications again as far as they were held, and puts them in place together; at the least the dot. */
export async function rereadNotices({ ask, update, state }: Pick<Refresh, "ask" | "update" | "state">, length: number): Promise<void> {
  let page = await ask("notifications.page", { before: null });
  while (page.older !== null && page.notifications.length < length) {
    const { notifications, users, older } = await ask("notifications.page", { before: page.older });
    page = { ...page, notifications: [...page.notifications, ...notifications], users: [...page.users, ...users], older };
  }
  const isListed = state().notices.status === "ready";
  update((s) => (isListed ? loadNotices(s, page) : dotKnown(s, page.has_unread, asRead(page.seq))));
}

/** Reads a thread again as far as it was held, and only then puts it in place, so that nothing folds meanwhile. */
async function rereadThread({ ask, update }: Refresh, postId: Id, length: number): Promise<void> {
  if (length <= 2) return;
  const read: Comment[] = [];
  let after: Id | null = null;
  for (;;) {
    const ok: Ok<"comments.page"> | null = await ask("comments.page", { post_id: postId, after }).catch(() => null);
    if (ok === null) return;
    read.push(...ok.comments);
    update((s) => holdUsers(s, ok.users, ok.seq));
    after = ok.comments.at(-1)?.id ?? null;
    if (ok.more && after !== null && read.length < length) continue;
    update((s) => holdPage(s, postId, null, read, ok.comments_count, ok.seq));
    return;
  }
}
