// The comments of a post: how a page, a new comment and a deleted one change the held thread.
//
// Promise: `thread` is the oldest comments without a gap, so shown and hidden comments add up to the server's count,
// and the first two are the two oldest. Between the answer to one's own comment and its event, comments of others may
// still be missing before it.

import type { Comment } from "../../../engine/types.gen";
import type { Id, State } from "../../../engine/state";
import type { PostEntry } from "./types";
import { isGone } from "../people/people";
import { DELETIONS_MAX, asRead, put, without } from "../../../engine/state";
import { isAuthorOnly } from "../groups/audience";

/** A post's own two oldest comments arrived with the post. */
export function storeFirstComments(state: State, entry: PostEntry, first: Comment[], at: number): State {
  const held = state.posts[entry.id];
  const ids = first.filter((comment) => !isDeleted(state, comment)).map((comment) => comment.id);
  // A longer thread that begins the same way is kept: the deletions inside it were received.
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

/** A page of comments after `after` (null: from the oldest) was read as of `seq`. */
export function storeCommentPage(
  state: State,
  postId: Id,
  after: Id | null,
  page: Comment[],
  count: number,
  seq: number,
): State {
  const entry = state.posts[postId];
  if (entry === undefined || entry.removed || isAuthorOnly(entry)) return state;
  const at = after === null ? -1 : entry.thread.indexOf(after);
  // The comment this page continues from is gone or was never held: the page has no place.
  if (after !== null && at < 0) return state;
  const read = page.filter((comment) => !isDeleted(state, comment)).map((comment) => comment.id);
  const last = read[read.length - 1];
  const later = last === undefined ? [] : entry.thread.filter((id, index) => index > at && id > last);
  const newer = asRead(seq) > entry.countAt;
  // Comments beyond this page stay as long as the count allows for them.
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

/** A new comment, and the count as of it. */
export function commentCreated(state: State, comment: Comment, count: number, seq: number): State {
  const entry = state.posts[comment.post_id];
  if (entry === undefined || entry.removed || isAuthorOnly(entry) || seq < entry.countAt) return state;
  return withComment(state, { ...entry, countAt: seq }, comment, count);
}

/**
 * The answer to the viewer's own comment. Its event brings the count; until then the count is one more. The events of
 * comments before it may come later, so `countAt` stays as it is.
 */
export function commentAnswered(state: State, comment: Comment, seq: number): State {
  const entry = state.posts[comment.post_id];
  if (entry === undefined || entry.removed || isAuthorOnly(entry) || seq <= entry.countAt) return state;
  const answered = { ...entry, answeredAt: Math.max(entry.answeredAt, seq) };
  return withComment(state, answered, comment, entry.comments_count + 1);
}

/** Adds comment number `count` of the post. It joins the thread only if all before it are held. */
function withComment(state: State, entry: PostEntry, comment: Comment, count: number): State {
  const before = entry.thread.filter((id) => id < comment.id);
  const joins =
    !entry.thread.includes(comment.id) && !isDeleted(state, comment) && before.length === count - 1;
  const thread = joins ? [...before, comment.id, ...entry.thread.slice(before.length)] : entry.thread;
  const next = { ...entry, thread, comments_count: Math.max(count, thread.length) };
  const posts = put(state.posts, entry.id, next);
  return joins ? { ...storeComments(state, [comment]), posts } : { ...state, posts };
}

/** A comment is gone; `first` are the two oldest of those that remain. */
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

/** The newest deletions are enough: a late `created` is late by seconds, not by days. */
function remember(deleted: State["deletedComments"], commentId: Id): State["deletedComments"] {
  const ids = [...Object.keys(deleted).map(Number), commentId].slice(-DELETIONS_MAX);
  return Object.fromEntries(ids.map((id) => [id, true as const]));
}

/** Whether a comment is known to be gone, alone or with who wrote it. */
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
