// Reading again what is on screen, after an interruption the server cannot account for.
//
// Promises: everything is changed in place. New posts wait under the pill, open threads stay open,
// typed words and the place on the page are not touched.

import type { Ask } from "../wire/ask";
import type { Ok } from "../wire/frames";
import type { Comment } from "../wire/types.gen";
import { holdUsers } from "./apply";
import { loadProfile, loadRefreshed, refreshFirstPage } from "./load";
import { holdPage } from "./thread";
import type { Id, State } from "./state";
import type { Shown } from "./evict";

const CHUNK = 30;

export type Refresh = { ask: Ask; update(how: (state: State) => State): void; state(): State; shown(): Shown };

/** Seqs of another epoch mean nothing: whatever is read next is the newer. */
export function forgetTimes(state: State): State {
  const each = <T extends object>(record: Record<Id, T>, zero: Partial<T>): Record<Id, T> =>
    Object.fromEntries(Object.entries(record).map(([id, value]) => [id, { ...value, ...zero }]));
  return {
    ...state,
    posts: each(state.posts, { editedAt: 0, voteAt: 0, positiveAt: 0, countAt: 0 }),
    profiles: each(state.profiles, { asOf: 0, countedAt: 0 }),
    follows: each(state.follows, { at: 0 }),
    views: Object.fromEntries(Object.entries(state.views).map(([name, view]) => [name, { ...view, asOf: 0 }])),
    deletedComments: {},
  };
}

export async function refreshAll({ ask, update, state, shown }: Refresh): Promise<void> {
  const before = state();
  const lengths = new Map(Object.values(before.posts).map((post) => [post.id, post.thread.length]));
  const ids = Object.values(before.posts).filter((post) => !post.removed).map((post) => post.id);
  update(forgetTimes);
  const work: Promise<unknown>[] = [];
  // One page of posts after the other: they are the heaviest replies, and a server lets few be under way.
  const rereadPosts = async () => {
    for (let at = 0; at < ids.length; at += CHUNK) {
      const post_ids = ids.slice(at, at + CHUNK);
      const ok = await ask("posts.refresh", { post_ids });
      update((s) => loadRefreshed(s, ok.posts, ok.users, ok.gone, ok.seq));
      for (const id of post_ids) await rereadThread({ ask, update, state, shown }, id, lengths.get(id) ?? 0);
    }
  };
  work.push(rereadPosts());
  for (const name of Object.keys(before.views)) work.push(rereadView({ ask, update, state, shown }, name));
  for (const user_id of Object.keys(before.profiles).map(Number))
    work.push(ask("profiles.get", { user_id }).then((ok) => update((s) => loadProfile(s, ok.profile, ok.seq))));
  await Promise.allSettled(work);
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

/** Reads a thread again as far as it was held, and only then puts it in place, so that nothing folds meanwhile. */
async function rereadThread({ ask, update }: Refresh, postId: Id, length: number): Promise<void> {
  if (length <= 2) return;
  const read: Comment[] = [];
  let after: Id | null = null;
  for (;;) {
    const ok: Ok<"comments.page"> | null = await ask("comments.page", { post_id: postId, after }).catch(() => null);
    if (ok === null) return;
    read.push(...ok.comments);
    update((s) => holdUsers(s, ok.users));
    after = ok.comments.at(-1)?.id ?? null;
    if (ok.more && after !== null && read.length < length) continue;
    update((s) => holdPage(s, postId, null, read, ok.comments_count, ok.seq));
    return;
  }
}
