// Posts: how one that was read or told changes what is held, and what stays of one that goes.
//
// Promises: nothing held that is newer is overwritten; a post that is known to be gone comes back only
// with what was read or told later, such as one that is shared with the viewer again. Of a group that was
// lost nothing stays: others' posts go, one's own are bare.

import type { EventOf } from "../wire/frames";
import type { Audience, Post, PostView } from "../wire/types.gen";
import { groupNameOf, learnGroups } from "./groups";
import { isGone } from "./people";
import { mayBeFollowed } from "./pending";
import { holdFirst } from "./thread";
import type { Id, ListView, PostEntry, State, Waiting } from "./state";
import { authorView, groupOf, isBare, isLost, newestFirst, put, waiting, without } from "./state";

export function setView(state: State, name: string, view: ListView): State {
  return { ...state, views: { ...state.views, [name]: view } };
}

/** Changes one post that is held and there. */
export function changePost(state: State, postId: Id, how: (post: PostEntry) => PostEntry): State {
  const post = state.posts[postId];
  if (post === undefined || post.removed) return state;
  const changed = how(post);
  return changed === post ? state : { ...state, posts: put(state.posts, postId, changed) };
}

/** A post as it was read, or as an event has it whole. */
export function holdPost(state: State, read: PostView, at: number): State {
  const before = state.posts[read.id];
  if (isGone(state, read.author_id) || (before?.removed && at <= before.thereAt)) return state;
  const wasLost = isLost(state, read.audience, at);
  if (wasLost && read.author_id !== state.session.me?.id) return state;
  const { first_comments: first, ...post } = wasLost ? { ...read, ...alone, first_comments: [] } : read;
  const held = before?.removed ? undefined : before;
  const entry: PostEntry = {
    ...post,
    editedAt: at,
    voteAt: at,
    positiveAt: at,
    countAt: at,
    thereAt: Math.max(at, held?.thereAt ?? 0),
    thread: [],
    removed: false,
    lost: false,
  };
  if (held !== undefined) {
    if (held.editedAt > at) {
      const { title, text, audience, updated_at_ms, editedAt } = held;
      Object.assign(entry, { title, text, audience, updated_at_ms, editedAt });
    }
    if (held.voteAt > at) Object.assign(entry, { vote: held.vote, voteAt: held.voteAt });
    // A reply for somebody's feed carries no count; the number already known stays known.
    if (held.positiveAt > at || entry.positive_count === null)
      Object.assign(entry, { positive_count: held.positive_count, positiveAt: held.positiveAt });
    if (held.countAt > at) {
      const kept = { ...entry, comments_count: held.comments_count, thread: held.thread, countAt: held.countAt };
      return { ...state, posts: put(state.posts, post.id, kept) };
    }
  }
  return holdFirst(state, entry, first, at);
}

/** What its author alone sees of a post whose group is gone. */
const alone = { audience: { type: "group", group_id: null } satisfies Audience, comments_count: 0 };

/** Somebody published, or shares a post with more people than before: one that is held says anew what it says. */
export function postCreated(state: State, event: EventOf<"posts.created">): State {
  const { post, seq } = event;
  if (isLost(state, post.audience, seq)) return state;
  const own = post.author_id === state.session.me?.id;
  const held = state.posts[post.id];
  const isBack = held?.removed && seq >= held.thereAt;
  let next = learnGroups(state, event.groups, seq);
  for (const [name, view] of Object.entries(state.views)) {
    if (view.status !== "ready" || seq < view.asOf || (view.ids.includes(post.id) && !isBack)) continue;
    if (!belongs(state, name, post.author_id, post.tag_key, post.audience)) continue;
    // It comes with the older ones, or with the newest that were let go.
    if ((view.older !== null && post.id < view.older) || (view.topCut !== null && post.id <= view.topCut)) continue;
    if (own) {
      next = setView(next, name, {
        ...view,
        ids: newestFirst([...view.ids, post.id]),
        pile: view.pile.filter((waiting) => waiting.id !== post.id),
      });
    } else if (!view.pile.some((waiting) => waiting.id === post.id) && (!held?.removed || isBack)) {
      next = setView(next, name, { ...view, pile: pileUp(view.pile, [waiting(post.id, post.author_id, post.audience)]) });
    }
  }
  if (held !== undefined) return held.removed ? next : createdAgain(next, held, post, seq);
  const isListed = Object.values(next.views).some((view) => view.ids.includes(post.id));
  return own && isListed ? holdPost(next, { ...post, vote: "none", positive_count: 0 }, seq) : next;
}

/** The event says nothing of votes: as of when they are known stays. */
function createdAgain(state: State, held: PostEntry, post: Post, seq: number): State {
  const { vote, voteAt, positive_count, positiveAt } = held;
  return changePost(holdPost(state, { ...post, vote, positive_count }, seq), post.id, (changed) => ({ ...changed, voteAt, positiveAt }));
}

/** An author changed the words of a post, or who it is for. */
export function postUpdated(state: State, event: EventOf<"posts.updated">): State {
  const { post_id, author_id, audience, seq } = event;
  if (isLost(state, audience, seq)) return state;
  const wasOfGroup = state.posts[post_id]?.audience.type === "group" && author_id !== state.session.me?.id;
  let next = changePost(learnGroups(state, event.groups, seq), post_id, (post) => {
    if (seq < post.editedAt) return post;
    const { title, text, updated_at_ms } = event;
    return { ...post, title, text, audience, updated_at_ms, editedAt: seq, thereAt: Math.max(seq, post.thereAt) };
  });
  for (const [name, view] of Object.entries(next.views)) {
    if (view.pile.some((one) => one.id === post_id && one.group_id !== (groupOf(audience) ?? undefined)))
      next = setView(next, name, { ...view, pile: view.pile.map((one) => (one.id === post_id ? waiting(post_id, author_id, audience) : one)) });
    // It was there for the group, whoever follows whom: it stays until the list is next opened.
    else if (wasOfGroup && audience.type === "public" && name.startsWith("feed:") && view.ids.includes(post_id) && seq >= view.asOf)
      next = setView(next, name, { ...view, stale: true });
  }
  return next;
}

/** The pile with these posts under it, each once, newest first. */
export function pileUp(pile: readonly Waiting[], posts: readonly Waiting[]): Waiting[] {
  const fresh = posts.filter((post) => !pile.some((waiting) => waiting.id === post.id));
  return [...pile, ...fresh].sort((a, b) => b.id - a.id);
}

/** Whether a view lists posts like this one. */
export function belongs(state: State, name: string, authorId: Id, tagKey: string | null, audience: Audience): boolean {
  if (name === authorView(authorId)) return true;
  if (!name.startsWith("feed:")) return false;
  const tag = name.slice("feed:".length);
  if (tag !== "" && tagKeyOf(state, name, tag) !== tagKey) return false;
  // Who is told of a group's post is in the group.
  return audience.type === "group" || authorId === state.session.me?.id || mayBeFollowed(state, authorId);
}

/** What the server compares this view's tag by: a post already in it knows; else the nearest guess. */
function tagKeyOf(state: State, name: string, tag: string): string {
  const first = state.views[name]?.ids.map((id) => state.posts[id]?.tag_key).find((key) => typeof key === "string");
  return first ?? tag.trim().replace(/^#/, "").normalize("NFC").replace(/\s+/g, " ").trim().toLowerCase();
}

/** The post's words and comments go; its place in the lists stays, for the line `Removed`. */
export function postDeleted(state: State, postId: Id, at: number, lost = false): State {
  let next = state;
  for (const [name, view] of Object.entries(state.views))
    if (view.pile.some((waiting) => waiting.id === postId))
      next = setView(next, name, { ...view, pile: view.pile.filter((waiting) => waiting.id !== postId) });
  const entry = next.posts[postId];
  if (entry === undefined || entry.removed || at < entry.thereAt) return next;
  const gone: PostEntry = { ...entry, title: null, text: "", tag: null, tag_key: null, pictures: [], thread: [], comments_count: 0, countAt: at, thereAt: at, removed: true, lost };
  return { ...next, comments: without(next.comments, entry.thread), posts: put(next.posts, postId, gone) };
}

/**
 * The viewer is no longer in this group, or it is no more. What others shared with it goes with all that was
 * written below it; one's own posts stay for oneself alone, and what one was just writing stays one's own.
 */
export function postsOfLost(state: State, groupId: Id, seq: number): State {
  let next = state;
  for (const [name, view] of Object.entries(state.views)) {
    const pile = view.pile.filter((one) => one.group_id !== groupId);
    if (pile.length < view.pile.length && seq >= view.asOf) next = setView(next, name, { ...view, pile });
  }
  const shared = Object.values(next.posts).filter((post) => !post.removed && groupOf(post.audience) === groupId && seq >= post.thereAt);
  for (const post of shared) {
    if (post.author_id !== state.session.me?.id) next = postDeleted(next, post.id, seq, true);
    else {
      const left: PostEntry = { ...post, ...alone, thread: [], editedAt: Math.max(seq, post.editedAt), countAt: seq, thereAt: seq };
      next = { ...next, comments: without(next.comments, post.thread), posts: put(next.posts, post.id, left) };
    }
  }
  return next;
}

/** The viewer is in a group again or anew: what is shared with it comes when a list is next opened. */
export function postsOfJoined(state: State, seq: number): State {
  return Object.entries(state.views).reduce((next, [name, view]) => (seq >= view.asOf ? setView(next, name, { ...view, stale: true }) : next), state);
}

/** One's own posts whose group was lost: being in it again they are with it again, which only the server knows. */
export const ownBare = (state: State): Id[] =>
  Object.values(state.posts).flatMap((post) => (isBare(post) && !post.removed && post.author_id === state.session.me?.id ? [post.id] : []));

/** What stands with a post or a poll that is shared with a group; null for one that is for everybody. */
export function sharedWith(state: State, audience: Audience): string | null {
  if (audience.type === "public") return null;
  return audience.group_id === null ? "a group that no longer exists" : (groupNameOf(state, audience.group_id) ?? "a group");
}
