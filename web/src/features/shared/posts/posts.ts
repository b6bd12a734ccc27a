// Posts: how a reply or an event changes the held posts, and what remains of a deleted one.
//
// Promises: an older reply or event never overwrites a newer one. A deleted post returns only by a later
// event, for example when it is shared with the viewer again. Nothing of a group that the viewer left
// remains: posts of others are dropped, and only their author sees the viewer's own posts.

import type { EventOf } from "../../../engine/frames";
import type { Audience, Post, PostView } from "../../../engine/types.gen";
import { storeGroupNames } from "../groups/groups";
import { isGone } from "../people/people";
import { isMuted } from "../people/hidden";
import { mayBeFollowed } from "../people/follows";
import { storeFirstComments } from "./thread";
import type { Id, State } from "../../../engine/state";
import type { ListView, PostEntry } from "./types";
import type { Waiting } from "../groups/audience";
import { folded, tidyTag } from "../text";
import { SAVED_VIEW, authorView, groupView } from "./types";
import { groupOf, isOutside, isGroupGone, waitingOf } from "../groups/audience";
import { newestFirst, put, without } from "../../../engine/state";

export function setView(state: State, name: string, view: ListView): State {
  return { ...state, views: { ...state.views, [name]: view } };
}

/** Changes a post that is held and not removed. */
export function changePost(state: State, postId: Id, how: (post: PostEntry) => PostEntry): State {
  const post = state.posts[postId];
  if (post === undefined || post.removed) return state;
  const changed = how(post);
  return changed === post ? state : { ...state, posts: put(state.posts, postId, changed) };
}

/** The lists of an author are in the order of the dates, because imported posts have old dates and new ids (D-W5). */
const isByDate = (name: string): boolean => /^(?:author|found):/u.test(name);

/** Returns the posts of a list in its order, each once: newest first. A post that is not held yet is new. */
export function inOrder({ posts }: State, name: string, ids: Iterable<Id>): Id[] {
  const dateOf = (id: Id): number => posts[id]?.created_at_ms ?? Infinity;
  const byId = newestFirst(ids);
  return isByDate(name) ? byId.sort((a, b) => dateOf(b) - dateOf(a)) : byId;
}

/**
 * Returns whether a post is older than the end of what was read of a list. Without the post at the end, the ids decide, as
 * they do on the server.
 */
function isBelow({ posts }: State, name: string, end: Id | null, { id, created_at_ms }: Post): boolean {
  if (end === null) return false;
  const endMs = isByDate(name) ? (posts[end]?.created_at_ms ?? created_at_ms) : created_at_ms;
  return created_at_ms < endMs || (created_at_ms === endMs && id < end);
}

/** The audience of the viewer's own post in a group that the viewer is no longer in. Its members still see the post. */
export const ofLeft: Audience = { type: "group", group_id: null };

/** The fields that have an event of their own, after the seq as of which they are known. */
const KNOWN_AT = [
  ["editedAt", "title", "text", "content_note", "audience", "updated_at_ms"],
  ["commentersAt", "comments_only_for"],
  ["voteAt", "vote"],
  ["savedAt", "saved"],
] as const;

/** The seqs as of which the fields of a post are known, if all are known as of this one. */
export const knownAt = (at: number) => ({
  editedAt: at,
  voteAt: at,
  positiveAt: at,
  commentersAt: at,
  savedAt: at,
  countAt: at,
});

/** Applies a whole post, from a reply or an event. */
export function storePost(state: State, read: PostView, at: number): State {
  const before = state.posts[read.id];
  if (isGone(state, read.author_id) || (before?.removed && at <= before.thereAt)) return state;
  const groupGone = isGroupGone(state, read.audience, at);
  if (groupGone && read.author_id !== state.session.me?.id) return state;
  const { first_comments: first, ...post } = groupGone
    ? { ...read, audience: ofLeft, comments_count: 0, first_comments: [] }
    : read;
  const held = before?.removed ? undefined : before;
  const entry: PostEntry = {
    ...post,
    ...knownAt(at),
    confirmedAt: held?.confirmedAt ?? 0,
    thereAt: Math.max(at, held?.thereAt ?? 0),
    thread: [],
    removed: false,
    groupGone: false,
  };
  if (held !== undefined) {
    for (const [seq, ...names] of KNOWN_AT)
      if (held[seq] > at) for (const name of [seq, ...names]) Object.assign(entry, { [name]: held[name] });
    // The reply of a feed has no count. The known count stays.
    if (held.positiveAt > at || entry.positive_count === null)
      Object.assign(entry, { positive_count: held.positive_count, positiveAt: held.positiveAt });
    if (Math.max(held.countAt, held.confirmedAt) > at) {
      const kept = {
        ...entry,
        comments_count: held.comments_count,
        thread: held.thread,
        countAt: held.countAt,
      };
      return { ...state, posts: put(state.posts, post.id, kept) };
    }
  }
  return storeFirstComments(state, entry, first, at);
}

/** A post was created, or shared with more people than before. A held post is replaced. */
export function postCreated(state: State, event: EventOf<"posts.created">): State {
  const { post, seq } = event;
  if (isGroupGone(state, post.audience, seq)) return state;
  const own = post.author_id === state.session.me?.id;
  const held = state.posts[post.id];
  const isBack = held?.removed && seq >= held.thereAt;
  let next = storeGroupNames(state, event.groups, seq);
  for (const [name, view] of Object.entries(state.views)) {
    if (view.status !== "ready" || seq < view.asOf || (view.ids.includes(post.id) && !isBack)) continue;
    if (!belongs(state, name, post.author_id, post.tag_key, post.audience)) continue;
    // The post is older than the list or was evicted from its top, so a later read brings it.
    if (isBelow(state, name, view.older, post) || (view.topCut !== null && post.id <= view.topCut)) continue;
    if (own) {
      next = setView(next, name, {
        ...view,
        ids: inOrder(state, name, [...view.ids, post.id]),
        waiting: view.waiting.filter((one) => one.id !== post.id),
      });
    } else if (!view.waiting.some((one) => one.id === post.id) && (!held?.removed || isBack)) {
      next = setView(next, name, {
        ...view,
        waiting: addWaiting(view.waiting, [waitingOf(post.id, post.author_id, post.audience)]),
      });
    }
  }
  if (held !== undefined) return held.removed ? next : createdAgain(next, held, post, seq);
  const isListed = Object.values(next.views).some((view) => view.ids.includes(post.id));
  return own && isListed
    ? storePost(
        next,
        { ...post, vote: "none", saved: false, positive_count: 0, comments_only_for: null },
        seq,
      )
    : next;
}

/** The event has only what is the same for every viewer, so the seqs of the other values stay. */
function createdAgain(state: State, held: PostEntry, post: Post, seq: number): State {
  const { voteAt, savedAt, positiveAt, commentersAt } = held;
  return changePost(storePost(state, { ...held, ...post }, seq), post.id, (changed) => ({
    ...changed,
    voteAt,
    savedAt,
    positiveAt,
    commentersAt,
  }));
}

/** An author changed the text or the audience of a post. */
export function postUpdated(state: State, event: EventOf<"posts.updated">): State {
  const { post_id, author_id, audience, seq } = event;
  if (isGroupGone(state, audience, seq)) return state;
  const wasOfGroup = state.posts[post_id]?.audience.type === "group" && author_id !== state.session.me?.id;
  let next = changePost(storeGroupNames(state, event.groups, seq), post_id, (post) => {
    if (seq < post.editedAt) return post;
    const { title, text, content_note, updated_at_ms } = event;
    return {
      ...post,
      title,
      text,
      content_note,
      audience,
      updated_at_ms,
      editedAt: seq,
      thereAt: Math.max(seq, post.thereAt),
    };
  });
  for (const [name, view] of Object.entries(next.views)) {
    // The list is of a group that the post is not in, or no longer.
    const isLeft = name.startsWith("group:") && name !== groupView(groupOf(audience) ?? 0);
    if (view.waiting.some((one) => one.id === post_id && one.group_id !== (groupOf(audience) ?? undefined)))
      next = setView(next, name, {
        ...view,
        waiting: view.waiting.flatMap((one) =>
          one.id !== post_id ? one : isLeft ? [] : waitingOf(post_id, author_id, audience),
        ),
      });
    // The post was listed because of its group, not because of a follow, but it stays until the list is opened again.
    else if (
      (isLeft || (wasOfGroup && audience.type === "public" && name.startsWith("feed:"))) &&
      view.ids.includes(post_id) &&
      seq >= view.asOf
    )
      next = setView(next, name, { ...view, stale: true });
  }
  return next;
}

/** The viewer saved a post, or removed it from the saved ones, on any device. */
export function savedChanged(state: State, { post_id, saved, seq }: EventOf<"saved.changed">): State {
  const view = state.views[SAVED_VIEW];
  const next =
    view === undefined || seq < view.asOf
      ? state
      : setView(state, SAVED_VIEW, {
          ...view,
          ids: view.ids.filter((id) => saved || id !== post_id),
          stale: saved || view.stale,
        });
  return changePost(next, post_id, (post) => (seq < post.savedAt ? post : { ...post, saved, savedAt: seq }));
}

/** Returns the waiting posts together with these posts, each once, newest first. */
export function addWaiting(waiting: readonly Waiting[], posts: readonly Waiting[]): Waiting[] {
  const fresh = posts.filter((post) => !waiting.some((one) => one.id === post.id));
  return [...waiting, ...fresh].sort((a, b) => b.id - a.id);
}

/** Returns whether a view lists posts like this one. */
export function belongs(
  state: State,
  name: string,
  authorId: Id,
  tagKey: string | null,
  audience: Audience,
): boolean {
  if (name === authorView(authorId)) return true;
  if (name.startsWith("group:"))
    return name === groupView(groupOf(audience) ?? 0) && !isMuted(state, authorId);
  if (!name.startsWith("feed:")) return false;
  const tag = name.slice("feed:".length);
  if (tag !== "" && tagKeyOf(state, name, tag) !== tagKey) return false;
  if (isMuted(state, authorId)) return false;
  // Only members of a group receive its posts.
  return audience.type === "group" || authorId === state.session.me?.id || mayBeFollowed(state, authorId);
}

/**
 * Returns the form of a view's tag that the server compares. A listed post has it; without one it is
 * estimated.
 */
function tagKeyOf(state: State, name: string, tag: string): string {
  const first = state.views[name]?.ids
    .map((id) => state.posts[id]?.tag_key)
    .find((key) => typeof key === "string");
  return first ?? folded(tidyTag(tag));
}

/** Drops the text and comments of a post. Its place in the lists stays, for the line `Removed`. */
export function postDeleted(state: State, postId: Id, at: number, groupGone = false): State {
  let next = state;
  for (const [name, view] of Object.entries(state.views))
    if (view.waiting.some((one) => one.id === postId))
      next = setView(next, name, { ...view, waiting: view.waiting.filter((one) => one.id !== postId) });
  const entry = next.posts[postId];
  if (entry === undefined || entry.removed || at < entry.thereAt) return next;
  const gone: PostEntry = {
    ...entry,
    title: null,
    text: "",
    tag: null,
    tag_key: null,
    content_note: null,
    pictures: [],
    thread: [],
    comments_count: 0,
    countAt: at,
    thereAt: at,
    removed: true,
    groupGone,
  };
  return { ...next, comments: without(next.comments, entry.thread), posts: put(next.posts, postId, gone) };
}

/**
 * The viewer is no longer in this group, or it was deleted. Posts of others are dropped with their comments. The
 * viewer's own posts stay without comments, with this audience. Unsent comments stay too.
 */
export function postsOfLost(state: State, groupId: Id, audience: Audience, seq: number): State {
  let next = state;
  for (const [name, view] of Object.entries(state.views)) {
    const waiting = view.waiting.filter((one) => one.group_id !== groupId);
    if (waiting.length < view.waiting.length && seq >= view.asOf)
      next = setView(next, name, { ...view, waiting });
  }
  const shared = Object.values(next.posts).filter(
    (post) => !post.removed && groupOf(post.audience) === groupId && seq >= post.thereAt,
  );
  for (const post of shared) {
    if (post.author_id !== state.session.me?.id) next = postDeleted(next, post.id, seq, true);
    else {
      const left: PostEntry = {
        ...post,
        audience,
        comments_count: 0,
        thread: [],
        editedAt: Math.max(seq, post.editedAt),
        countAt: seq,
        thereAt: seq,
      };
      next = {
        ...next,
        comments: without(next.comments, post.thread),
        posts: put(next.posts, post.id, left),
      };
    }
  }
  return next;
}

/** The viewer was added to a group. Its posts appear when a list is opened again. */
export function postsOfJoined(state: State, seq: number): State {
  return Object.entries(state.views).reduce(
    (next, [name, view]) => (seq >= view.asOf ? setView(next, name, { ...view, stale: true }) : next),
    state,
  );
}

/**
 * Returns the viewer's own posts in whose group the viewer is not. Only the server knows whether the viewer is in it
 * again.
 */
export const ownOutside = (state: State): Id[] =>
  Object.values(state.posts).flatMap((post) =>
    isOutside(post) && !post.removed && post.author_id === state.session.me?.id ? [post.id] : [],
  );

/**
 * Drops the posts and comments of a deleted user, however lately they were read. The places of the posts
 * stay.
 */
export function postsOfDeletedUser(state: State, userId: Id, seq: number): State {
  const theirs = Object.values(state.posts).filter((post) => post.author_id === userId && !post.removed);
  const next = withoutCommentsOf(
    theirs.reduce((left, post) => postDeleted(left, post.id, Math.max(seq, post.thereAt)), state),
    userId,
  );
  const { [authorView(userId)]: profile, ...views } = next.views;
  return Object.entries(views).reduce(
    (left, [name, view]) => {
      const waiting = view.waiting.filter((one) => one.author_id !== userId);
      return waiting.length < view.waiting.length ? setView(left, name, { ...view, waiting }) : left;
    },
    profile === undefined ? next : { ...next, views },
  );
}

/** Drops the comments of a user. Events of the same write send the new numbers of comments. */
function withoutCommentsOf(state: State, userId: Id): State {
  const theirs = new Set(
    Object.values(state.comments)
      .filter((comment) => comment.author_id === userId)
      .map((comment) => comment.id),
  );
  if (theirs.size === 0) return state;
  const posts = { ...state.posts };
  for (const post of Object.values(posts)) {
    const thread = post.thread.filter((id) => !theirs.has(id));
    const gone = post.thread.length - thread.length;
    if (gone > 0)
      posts[post.id] = {
        ...post,
        thread,
        comments_count: Math.max(thread.length, post.comments_count - gone),
      };
  }
  return { ...state, posts, comments: without(state.comments, theirs) };
}

/**
 * The viewer muted or unmuted a user, whose posts are removed from feeds and lists of groups or appear after the next
 * read. Saved posts stay, because the viewer saved them on purpose.
 */
export function feedsOfMuted(state: State, { user_id, muted, seq }: EventOf<"people.changed">): State {
  return Object.entries(state.views).reduce((next, [name, view]) => {
    if (name.startsWith("author:") || name === SAVED_VIEW || seq < view.asOf) return next;
    if (!muted) return setView(next, name, { ...view, stale: true });
    return setView(next, name, {
      ...view,
      ids: view.ids.filter((id) => state.posts[id]?.author_id !== user_id),
      waiting: view.waiting.filter((one) => one.author_id !== user_id),
    });
  }, state);
}

/** A user is no longer hidden. Their posts appear after the next read. */
export const feedsOfReturned = (state: State): State => ({
  ...state,
  views: Object.fromEntries(
    Object.entries(state.views).map(([name, view]) => [name, { ...view, stale: true }]),
  ),
});

/**
 * Applies a follow or an unfollow. Feeds become stale, and waiting posts of an unfollowed author are removed.
 */
export function feedsOfFollowed(
  state: State,
  { user_id, following, seq }: EventOf<"follows.changed">,
): State {
  return Object.entries(state.views).reduce((next, [name, view]) => {
    if (!name.startsWith("feed:") || seq < view.asOf) return next;
    const waiting = following
      ? view.waiting
      : view.waiting.filter((one) => one.author_id !== user_id || one.group_id !== undefined);
    return setView(next, name, {
      ...view,
      waiting,
      stale: true,
      followsAnyone: view.followsAnyone || following,
    });
  }, state);
}

/** The author changed who may comment on their posts. */
export function commentsAllowed(
  state: State,
  { author_id, only_for, seq }: EventOf<"comments.allowed">,
): State {
  const theirs = Object.values(state.posts).filter((post) => post.author_id === author_id);
  return theirs.reduce(
    (kept, { id }) =>
      changePost(kept, id, (post) =>
        seq < post.commentersAt ? post : { ...post, comments_only_for: only_for, commentersAt: seq },
      ),
    state,
  );
}
