// Merges the reply of a read with the held state.
//
// Promise: a state newer than the reply is never overwritten. A deleted post does not return.

import type { Ask } from "../../../engine/ask";
import type { GroupName, PostView, User } from "../../../engine/types.gen";
import { storeGroupNames } from "../groups/groups";
import { storeUsers, isGone } from "../people/people";
import { addWaiting, belongs, inOrder, postDeleted, setView, storePost } from "./posts";
import type { Id, State } from "../../../engine/state";
import type { ListView } from "./types";
import { asRead } from "../../../engine/state";
import { SAVED_VIEW, emptyView } from "./types";
import { isGroupGone, waitingOf } from "../groups/audience";

/** Posts that were read, with the users and groups that they name. */
export type Read = {
  posts: readonly PostView[];
  users: readonly User[];
  groups: readonly GroupName[];
  seq: number;
};

export function loadPosts(state: State, { posts, users, groups, seq }: Read): State {
  return posts.reduce(
    (next, post) => storePost(next, post, asRead(seq)),
    storeGroupNames(storeUsers(state, users, seq), groups, asRead(seq)),
  );
}

/** Returns whether a post can be listed: it is held and not removed. */
const isThere = (state: State, postId: Id): boolean => state.posts[postId]?.removed === false;

export type Page = Read & { older: Id | null; follows_anyone?: boolean };

/** Asks for a page of a list. `before` is the post at the end of the page before it, and `before_at_ms` its date. */
export function readPage(
  ask: Ask,
  name: string,
  before: Id | null,
  before_at_ms: number | null = null,
): Promise<Page> {
  const of = name.slice(name.indexOf(":") + 1);
  if (name.startsWith("author:"))
    return ask("posts.by_author", { user_id: Number(of), before, before_at_ms });
  if (name.startsWith("group:")) return ask("posts.by_group", { group_id: Number(of), before });
  if (name === SAVED_VIEW) return ask("posts.saved", { before });
  if (name.startsWith("found:")) return ask("posts.search", { term: of, before, before_at_ms });
  return ask("posts.feed", { tag: of || null, before });
}

/** Applies the first page of a view. It replaces the list. */
export function loadFirstPage(state: State, name: string, page: Page): State {
  const next = loadPosts(state, page);
  const ids = page.posts.map((post) => post.id).filter((id) => isThere(next, id));
  const view: ListView = {
    ...emptyView(),
    ids,
    older: page.older,
    status: "ready",
    followsAnyone: page.follows_anyone ?? true,
    asOf: asRead(page.seq),
  };
  return setView(next, name, view);
}

/** Adds the next page after the listed posts. */
export function loadOlderPage(state: State, name: string, page: Page): State {
  const view = state.views[name];
  if (view === undefined) return state;
  const next = loadPosts(state, page);
  const fresh = page.posts.map((post) => post.id).filter((id) => !view.ids.includes(id) && isThere(next, id));
  return setView(next, name, {
    ...view,
    ids: [...view.ids, ...fresh],
    older: page.older,
    loadingOlder: false,
  });
}

/**
 * Applies the first page after a resync. Listed posts stay in place, and new posts wait behind the button for
 * new posts.
 */
export function refreshFirstPage(state: State, name: string, page: Page): State {
  const view = state.views[name];
  if (view === undefined || view.status !== "ready") return loadFirstPage(state, name, page);
  // Its order is not that of the ids, so its screen reads it again (features/saved/useSaved.ts).
  if (name === SAVED_VIEW) return setView(state, name, { ...view, stale: true });
  const me = state.session.me?.id;
  const fresh = page.posts.filter(
    (post) =>
      !view.ids.includes(post.id) &&
      !isGone(state, post.author_id) &&
      !isGroupGone(state, post.audience, asRead(page.seq)),
  );
  const own = fresh.filter((post) => post.author_id === me);
  // A post that is older than the newest listed one was left out when the list was read, so it is not new.
  const newest = view.ids[0] ?? 0;
  // If all of this page are new, posts may be missing below it. A press on the button reads the list again. An imported
  // post is as old as its date, whatever its id (D-W5).
  const known = view.waiting[0]?.id ?? newest;
  const newestMs = state.posts[newest]?.created_at_ms ?? Infinity;
  const isNew = ({ id, imported, created_at_ms }: PostView): boolean =>
    imported ? created_at_ms > newestMs : id > known;
  const hasGap = newest > 0 && page.posts.length > 0 && page.posts.every(isNew);
  const others = fresh.filter((post) => post.author_id !== me && post.id > newest && !post.imported);
  const next = loadPosts(state, view.ids.length === 0 ? page : { ...page, posts: own });
  return setView(next, name, {
    ...view,
    ids: inOrder(next, name, [...view.ids, ...own.map((post) => post.id)]),
    waiting: addWaiting(
      view.waiting,
      others.map((post) => waitingOf(post.id, post.author_id, post.audience)),
    ),
    followsAnyone: page.follows_anyone ?? view.followsAnyone,
    older: view.ids.length === 0 ? page.older : view.older,
    stale: view.stale || hasGap,
    asOf: asRead(page.seq),
  });
}

/** Moves waiting posts into the list. Requested posts that are missing in the reply were deleted. */
export function insertWaiting(state: State, name: string, asked: readonly Id[], read: Refreshed): State {
  const next = loadRefreshed(state, read);
  const view = next.views[name];
  if (view === undefined) return next;
  const fresh = read.posts.map((post) => post.id).filter((id) => !view.ids.includes(id) && isThere(next, id));
  return setView(next, name, {
    ...view,
    ids: inOrder(next, name, [...fresh, ...view.ids]),
    waiting: view.waiting.filter((one) => !asked.includes(one.id)),
  });
}

type Refreshed = Read & { gone: readonly Id[] };

export function loadRefreshed(state: State, read: Refreshed): State {
  return read.gone.reduce((next, id) => postDeleted(next, id, asRead(read.seq)), loadPosts(state, read));
}

/**
 * Applies the reply to the viewer's own new post. The event or the reply lists it, whichever arrives first.
 */
export function loadOwnPost(
  state: State,
  { post, ...read }: Omit<Read, "posts"> & { post: PostView },
): State {
  const listed = Object.entries(state.views).reduce((next, [name, view]) => {
    if (view.status !== "ready" || !belongs(state, name, post.author_id, post.tag_key, post.audience))
      return next;
    return setView(next, name, { ...view, ids: inOrder(next, name, [...view.ids, post.id]) });
  }, state);
  return loadPosts(listed, { ...read, posts: [post] });
}
