// Lists of posts, page by page: Your Space, one tag of it, the posts of a profile or a group, saved posts, or what a
// search found.
//
// Promises: a list on screen only grows. A press on Show older adds posts at its end, a press on the button
// for new posts adds posts at its top. At most POSTS_MAX posts are held.

import { RefusedError } from "../../../engine/ask";
import { ask, client } from "../../../engine/client";
import { insertWaiting, loadFirstPage, loadOlderPage, readPage } from "./read";
import type { Page } from "./read";
import { setView } from "./posts";
import type { Id, State } from "../../../engine/state";
import { isQuiet } from "../../../engine/state";
import { isReturning } from "../../../ui/returning";
import type { ListView } from "./types";
import { POSTS_MAX, authorView, emptyView } from "./types";
import { store, update } from "../../../engine/store";

const PAGE = 30;
const CHUNK = 30;

/** A tag that no post can have, such as one that is too long, results in an empty page. */
function nothingSo(error: unknown): Page {
  if (error instanceof RefusedError && error.code === "invalid")
    return { posts: [], users: [], groups: [], older: null, seq: 0 };
  throw error;
}

const isFollowing = (state: State): boolean => Object.keys(state.pending.follows).length > 0;

const followsAnswered = () =>
  new Promise<void>((answered) => {
    const end = store.subscribe((state) => {
      if (isFollowing(state)) return;
      end();
      answered();
    });
  });

function patch(name: string, changes: Partial<ListView>): (state: State) => State {
  return (state) => setView(state, name, { ...(state.views[name] ?? emptyView()), ...changes });
}

/**
 * Returns whether posts of others may be missing in a list, because no event adds them in quiet hours. A list of what
 * the viewer wrote, found or saved has none.
 */
const mayLack = (state: State, name: string): boolean =>
  isQuiet(state) && !/^(saved|found):/u.test(name) && name !== authorView(state.session.me?.id ?? 0);

/**
 * Reads a list unless it is held. A held list is shown as it was left, unless it is stale. In quiet hours nothing says
 * that it is, so it is read, but not under somebody who returns to their place in it. A feed waits until the follows
 * that were pressed before are answered: read before their commit, it would lack the posts of these users.
 */
export async function openList(name: string): Promise<void> {
  if (name.startsWith("feed:") && isFollowing(store.getState())) {
    const me = store.getState().session.me?.id;
    await followsAnswered();
    if (store.getState().session.me?.id !== me) return;
  }
  const state = store.getState();
  const view = state.views[name];
  if (view?.status === "ready" && !view.stale && (isReturning() || !mayLack(state, name))) return;
  await readFirst(name);
}

/** Reads the newest page, which replaces the list. */
export async function readFirst(name: string): Promise<void> {
  const before = store.getState().views[name];
  if (before === undefined || before.status === "failed") update(patch(name, { status: "loading" }));
  try {
    const page = await readPage(ask, name, null).catch(nothingSo);
    update((s) => loadFirstPage(s, name, page));
  } catch (error) {
    // After a failure the old list stays, because an empty list would be wrong.
    if (before?.status !== "ready" && store.getState().views[name] !== undefined)
      update(patch(name, { status: "failed" }));
    else throw error;
  }
}

/** Reads the next page. Throws if it could not be read; then the list stays as it was. */
export async function readOlder(name: string): Promise<void> {
  const { views, posts } = store.getState();
  const view = views[name];
  if (view === undefined || view.older === null || view.loadingOlder) return;
  update(patch(name, { loadingOlder: true }));
  try {
    const page = await readPage(ask, name, view.older, posts[view.older]?.created_at_ms);
    update((s) => cutTop(loadOlderPage(s, name, page), name));
    client.tidy();
  } catch (error) {
    // The viewer may have logged out meanwhile.
    if (store.getState().views[name] !== undefined) update(patch(name, { loadingOlder: false }));
    throw error;
  }
}

/** Drops the newest posts of a list that exceeds its bound, because the reader is at its other end. */
function cutTop(state: State, name: string): State {
  const view = state.views[name];
  const max = POSTS_MAX - PAGE;
  if (view === undefined || view.ids.length <= max) return state;
  return setView(state, name, {
    ...view,
    ids: view.ids.slice(-max),
    topCut: Math.max(view.topCut ?? 0, view.ids[0] ?? 0),
  });
}

/** Lists the new posts. Returns the newest of them, or null if all were deleted. */
export async function showWaiting(name: string): Promise<Id | null> {
  const view = store.getState().views[name];
  if (view === undefined || view.waiting.length === 0) return null;
  if (view.stale || view.topCut !== null || view.waiting.length + view.ids.length > POSTS_MAX) {
    await readFirst(name);
    return store.getState().views[name]?.ids[0] ?? null;
  }
  const newIds = view.waiting.map((post) => post.id);
  for (let at = 0; at < newIds.length; at += CHUNK) {
    const post_ids = newIds.slice(at, at + CHUNK);
    const ok = await ask("posts.refresh", { post_ids });
    update((s) => insertWaiting(s, name, post_ids, ok));
  }
  const ids = store.getState().views[name]?.ids ?? [];
  return ids.find((id) => newIds.includes(id)) ?? null;
}
