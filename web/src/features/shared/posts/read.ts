// Replies to state: the answer of a read, merged with the held state.
//
// Promise: a fact newer than the reply is never overwritten; a deleted post does not come back.

import type { GroupName, PostView, User } from "../../../engine/types.gen";
import { storeGroupNames } from "../groups/groups";
import { storeUsers, isGone } from "../people/people";
import { belongs, storePost, pileUp, postDeleted, setView } from "./posts";
import type { Id, State } from "../../../engine/state";
import type { ListView } from "./types";
import { asRead, newestFirst } from "../../../engine/state";
import { emptyView } from "./types";
import { isLost, waiting } from "../groups/audience";

/** Posts that were read, with the people and groups they name. */
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

/** Whether there is such a post to list: it may be known to be gone, with or without its author. */
const isThere = (state: State, postId: Id): boolean => state.posts[postId]?.removed === false;

export type Page = Read & { older: Id | null; follows_anyone?: boolean };

/** The first page of a view, replacing what the view listed. */
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

/** The next page, behind what is listed. */
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
 * The first page again, after an interruption that the server cannot account for: listed posts stay in place
 * and what is new waits under the pill.
 */
export function refreshFirstPage(state: State, name: string, page: Page): State {
  const view = state.views[name];
  if (view === undefined || view.status !== "ready") return loadFirstPage(state, name, page);
  const me = state.session.me?.id;
  const fresh = page.posts.filter(
    (post) =>
      !view.ids.includes(post.id) &&
      !isGone(state, post.author_id) &&
      !isLost(state, post.audience, asRead(page.seq)),
  );
  const own = fresh.filter((post) => post.author_id === me);
  // What lies below the newest listed post was passed over on purpose when that page was built.
  const newest = view.ids[0] ?? 0;
  const others = fresh.filter((post) => post.author_id !== me && post.id > newest);
  const next = loadPosts(state, view.ids.length === 0 ? page : { ...page, posts: own });
  return setView(next, name, {
    ...view,
    ids: newestFirst([...view.ids, ...own.map((post) => post.id)]),
    pile: pileUp(
      view.pile,
      others.map((post) => waiting(post.id, post.author_id, post.audience)),
    ),
    followsAnyone: page.follows_anyone ?? view.followsAnyone,
    older: view.ids.length === 0 ? page.older : view.older,
    asOf: asRead(page.seq),
  });
}

/** Takes posts from the pile into the list; the others of the pile that were asked for are gone. */
export function insertPile(state: State, name: string, asked: readonly Id[], read: Refreshed): State {
  const next = loadRefreshed(state, read);
  const view = next.views[name];
  if (view === undefined) return next;
  const fresh = read.posts.map((post) => post.id).filter((id) => !view.ids.includes(id) && isThere(next, id));
  return setView(next, name, {
    ...view,
    ids: newestFirst([...fresh, ...view.ids]),
    pile: view.pile.filter((waiting) => !asked.includes(waiting.id)),
  });
}

type Refreshed = Read & { gone: readonly Id[] };

export function loadRefreshed(state: State, read: Refreshed): State {
  return read.gone.reduce((next, id) => postDeleted(next, id, asRead(read.seq)), loadPosts(state, read));
}

/** The author's own sockets and the page that posted both learn of a new post; whichever comes first lists it. */
export function loadOwnPost(
  state: State,
  { post, ...read }: Omit<Read, "posts"> & { post: PostView },
): State {
  const listed = Object.entries(state.views).reduce((next, [name, view]) => {
    if (view.status !== "ready" || !belongs(state, name, post.author_id, post.tag_key, post.audience))
      return next;
    return setView(next, name, { ...view, ids: newestFirst([...view.ids, post.id]) });
  }, state);
  return loadPosts(listed, { ...read, posts: [post] });
}
