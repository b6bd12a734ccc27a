// Reads posts, threads and lists again in place after a resync.

import type { Tools } from "../../../engine/feature";
import type { Ok } from "../../../engine/frames";
import type { Id, State } from "../../../engine/state";
import { without } from "../../../engine/state";
import type { Comment } from "../../../engine/types.gen";
import { mentioned } from "../mentions";
import { storeUsers } from "../people/people";
import { loadRefreshed, readPage, refreshFirstPage } from "./read";
import { storeCommentPage } from "./thread";

/** The most posts in one request. */
const CHUNK = 30;

/** Reads every held list and post again, and each thread as far as it was held. */
export async function rereadPosts(tools: Tools, before: State): Promise<void> {
  await Promise.allSettled([
    ...Object.keys(before.views).map((name) => rereadView(tools, name)),
    rereadEach(tools, before),
  ]);
}

/**
 * Reads one page of posts after the other, because these replies are the largest and the server limits them.
 */
async function rereadEach(tools: Tools, before: State): Promise<void> {
  const held = Object.values(before.posts).filter((post) => !post.removed);
  for (let at = 0; at < held.length; at += CHUNK) {
    const chunk = held.slice(at, at + CHUNK);
    const ok = await tools.ask("posts.refresh", { post_ids: chunk.map((post) => post.id) });
    tools.update((s) => loadRefreshed(s, ok));
    for (const { id, thread } of chunk) await rereadThread(tools, id, thread.length);
  }
}

async function rereadView({ ask, update }: Tools, name: string): Promise<void> {
  const page = await readPage(ask, name, null);
  update((s) => refreshFirstPage(s, name, page));
}

/**
 * Reads a thread again as far as it was held. It is replaced only at the end, so that it does not fold
 * meanwhile.
 */
async function rereadThread({ ask, update }: Tools, postId: Id, length: number): Promise<void> {
  if (length <= 2) return;
  const read: Comment[] = [];
  let after: Id | null = null;
  for (;;) {
    const ok: Ok<"comments.page"> | null = await ask("comments.page", { post_id: postId, after }).catch(
      () => null,
    );
    if (ok === null) return;
    read.push(...ok.comments);
    update((s) => storeUsers(s, ok.users, ok.seq));
    after = ok.comments.at(-1)?.id ?? null;
    if (ok.more && after !== null && read.length < length) continue;
    update((s) => storeCommentPage(s, postId, null, read, ok.comments_count, ok.seq));
    return;
  }
}

/**
 * Drops the names of accounts that comments mention but no reply names. They were deleted while the
 * connection was lost, so no event announced it.
 */
export function forgetUnnamed(state: State, before: State, named: ReadonlySet<Id>): State {
  const isReread = ({ id }: Comment) => before.comments[id] !== undefined;
  const all = Object.values(state.comments);
  const since = new Set(all.filter((comment) => !isReread(comment)).flatMap(({ text }) => mentioned(text)));
  const gone = all
    .filter(isReread)
    .flatMap(({ text }) => mentioned(text))
    .filter(
      (id) =>
        !named.has(id) && !since.has(id) && id !== state.session.me?.id && state.profiles[id] === undefined,
    );
  return gone.length === 0 ? state : { ...state, users: without(state.users, gone) };
}
