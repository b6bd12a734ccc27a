// The comments of a post: how a page, a new comment and a deleted comment change the held thread.
//
// Promise: `thread` has the oldest comments without a gap, so shown and hidden comments add up to the
// server's count, and the first two are the two oldest. There is one exception: between the reply to the
// viewer's own comment and its event, earlier comments of others may be missing.

import type { Comment } from "../../../engine/types.gen";
import type { Id, State } from "../../../engine/state";
import type { PostEntry } from "./types";
import { isGone } from "../people/people";
import { DELETIONS_MAX, asRead, put, without } from "../../../engine/state";
import { isOutside } from "../groups/audience";

/** Applies the two oldest comments, which are part of a post. */
export function storeFirstComments(state: State, entry: PostEntry, first: Comment[], at: number): State {
  const held = state.posts[entry.id];
  const ids = first.filter((comment) => !isDeleted(state, comment)).map((comment) => comment.id);
  // A longer thread with the same beginning is kept, because events have removed deleted comments from it.
  const keeps =
    held !== undefined &&
    !held.removed &&
    held.thread.length > ids.length &&
    held.thread.length <= entry.comments_count &&
    ids.every((id, at) => held.thread[at] === id);
  const thread = keeps ? held.thread : ids;
  const next = { ...entry, thread, countAt: at };
  return { ...storeComments(state, first), posts: put(state.posts, entry.id, next) };
}

/** Applies a page of comments after `after` (null: from the oldest), read as of `seq`. */
export function storeCommentPage(
  state: State,
  postId: Id,
  after: Id | null,
  page: Comment[],
  count: number,
  seq: number,
): State {
  const entry = state.posts[postId];
  if (entry === undefined || entry.removed || isOutside(entry)) return state;
  const at = after === null ? -1 : entry.thread.indexOf(after);
  // The page is dropped if the comment before it was deleted or never held.
  if (after !== null && at < 0) return state;
  const read = page.filter((comment) => !isDeleted(state, comment)).map((comment) => comment.id);
  const last = read[read.length - 1];
  const later = last === undefined ? [] : entry.thread.filter((id, index) => index > at && id > last);
  const newer = asRead(seq) > entry.countAt;
  // Comments after this page stay if the count allows it.
  const keeps = at + 1 + read.length + later.length <= (newer ? count : entry.comments_count);
  const thread = [...entry.thread.slice(0, at + 1), ...read, ...(keeps ? later : [])];
  const next: PostEntry = {
    ...entry,
    thread,
    comments_count: newer ? count : Math.max(entry.comments_count, thread.length),
    countAt: Math.max(entry.countAt, asRead(seq)),
  };
  return { ...storeComments(state, page), posts: put(state.posts, postId, next) };
}

/** A comment was created. `count` is the number of comments then. */
export function commentCreated(state: State, comment: Comment, count: number, seq: number): State {
  const entry = state.posts[comment.post_id];
  if (entry === undefined || entry.removed || isOutside(entry) || seq < entry.countAt) return state;
  return withComment(state, { ...entry, countAt: seq }, comment, count);
}

/**
 * Applies the reply to the viewer's own comment. The count is one more until the event of the comment sets
 * it. Events of earlier comments may follow, so `countAt` stays as it is.
 */
export function commentConfirmed(state: State, comment: Comment, seq: number): State {
  const entry = state.posts[comment.post_id];
  if (entry === undefined || entry.removed || isOutside(entry) || seq <= entry.countAt) return state;
  const confirmed = { ...entry, confirmedAt: Math.max(entry.confirmedAt, seq) };
  return withComment(state, confirmed, comment, entry.comments_count + 1);
}

/** Adds comment number `count` of the post to the thread, if all comments before it are held. */
function withComment(state: State, entry: PostEntry, comment: Comment, count: number): State {
  const before = entry.thread.filter((id) => id < comment.id);
  const joins =
    !entry.thread.includes(comment.id) && !isDeleted(state, comment) && before.length === count - 1;
  const thread = joins ? [...before, comment.id, ...entry.thread.slice(before.length)] : entry.thread;
  const next = { ...entry, thread, comments_count: Math.max(count, thread.length) };
  const posts = put(state.posts, entry.id, next);
  return joins ? { ...storeComments(state, [comment]), posts } : { ...state, posts };
}

/** A comment was deleted. `first` are the two oldest of the remaining comments. */
export function commentDeleted(
  state: State,
  postId: Id,
  commentId: Id,
  count: number,
  first: Comment[],
  seq: number,
): State {
  let next: State = state;
  if (!next.deletedComments[commentId])
    next = { ...next, deletedComments: remember(next.deletedComments, commentId) };
  if (next.comments[commentId] !== undefined)
    next = { ...next, comments: without(next.comments, [commentId]) };
  const entry = next.posts[postId];
  if (entry === undefined || entry.removed) return next;
  const newer = seq >= entry.countAt;
  const had = entry.thread.includes(commentId);
  if (!newer && !had) return next;
  let thread = had ? entry.thread.filter((id) => id !== commentId) : entry.thread;
  if (newer && thread.length < first.length) {
    next = storeComments(next, first);
    thread = first.map((comment) => comment.id);
  }
  const changed: PostEntry = newer
    ? { ...entry, thread, comments_count: count, countAt: seq }
    : { ...entry, thread };
  return { ...next, posts: put(next.posts, postId, changed) };
}

/**
 * Remembers a deletion. Only the newest are kept, because a `created` event is late by seconds, not by days.
 */
function remember(deleted: State["deletedComments"], commentId: Id): State["deletedComments"] {
  const ids = [...Object.keys(deleted).map(Number), commentId].slice(-DELETIONS_MAX);
  return Object.fromEntries(ids.map((id) => [id, true as const]));
}

/** Returns whether a comment or its author is known to be deleted. */
function isDeleted(state: State, comment: Comment): boolean {
  return state.deletedComments[comment.id] === true || isGone(state, comment.author_id);
}

function storeComments(state: State, comments: Comment[]): State {
  const fresh = comments.filter(
    (comment) => state.comments[comment.id] === undefined && !isDeleted(state, comment),
  );
  if (fresh.length === 0) return state;
  const held = { ...state.comments };
  for (const comment of fresh) held[comment.id] = comment;
  return { ...state, comments: held };
}
