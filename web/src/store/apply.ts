// Events to state: state and event in, state out.
//
// Promises: applying an event twice changes nothing (L5); an event at or below the seq a reply was
// read at is dropped for the things in that reply (L3); unconfirmed changes are not touched.
// Never: a socket, a clock, a reload.

import type { AnyEvent, EventOf } from "../wire/frames";
import { accountChanged, holdUsers, profileChanged, profileCounted, userChanged, userDeleted } from "./people";
import { moodChanged, moodsOfFollowed } from "./moods";
import { keepDot, noticeCreated, noticesDeleted, noticesSeen } from "./notifications";
import { mayBeFollowed } from "./pending";
import { pollCounted, pollCreated, pollDeleted, pollVoted, pollsOfFollowed, pollsOfGone } from "./polls";
import { themeKnown } from "./theme";
import { commentCreated, commentDeleted } from "./thread";
import type { Id, ListView, PostEntry, State, Waiting } from "./state";
import { authorView, newestFirst, put } from "./state";

/** Applies several events, in the order they came. */
export function applyAll(state: State, events: readonly AnyEvent[]): State {
  return events.reduce(apply, state);
}

export function apply(state: State, event: AnyEvent): State {
  switch (event.ev) {
    case "posts.created":
      return postCreated(holdUsers(state, event.users, event.seq), event);
    case "posts.updated":
      return change(state, event.post_id, (post) => {
        if (event.seq <= post.editedAt) return post;
        const { title, text, audience, updated_at_ms, seq: editedAt } = event;
        return { ...post, title, text, audience, updated_at_ms, editedAt };
      });
    case "posts.deleted":
      return postDeleted(state, event.post_id, event.seq);
    case "comments.created":
      return commentCreated(holdUsers(state, event.users, event.seq), event.comment, event.comments_count, event.seq);
    case "comments.deleted":
      return commentDeleted(
        holdUsers(state, event.users, event.seq),
        event.post_id,
        event.comment_id,
        event.comments_count,
        event.first_comments,
        event.seq,
      );
    case "votes.changed":
      return change(state, event.post_id, (post) =>
        event.seq <= post.voteAt ? post : { ...post, vote: event.vote, voteAt: event.seq },
      );
    case "votes.counted":
      return change(state, event.post_id, (post) =>
        event.seq <= post.positiveAt ? post : { ...post, positive_count: event.positive_count, positiveAt: event.seq },
      );
    case "follows.changed":
      return followChanged(state, event.user_id, event.following, event.seq);
    case "profiles.counted":
      return profileCounted(state, event);
    case "profiles.changed":
      return profileChanged(state, event.profile, event.seq);
    case "users.changed":
      return userChanged(state, event.user, event.seq);
    case "users.deleted":
      return personDeleted(state, event.user_id, event.seq);
    case "account.changed":
      return keepDot(state, accountChanged(state, event.me, event.seq), event.seq);
    case "notifications.created":
      return noticeCreated(state, event.notification, event.users, event.seq);
    case "notifications.deleted":
      return noticesDeleted(state, event.notification_ids, event.has_unread, event.seq);
    case "notifications.seen":
      return noticesSeen(state, event.seq);
    case "moods.changed":
      return moodChanged(state, event);
    case "polls.created":
      return pollCreated(state, event);
    case "polls.deleted":
      return pollDeleted(state, event.poll_id);
    case "polls.voted":
      return pollVoted(state, event.poll_id, event.choice, event.tally, event.seq);
    case "polls.counted":
      return pollCounted(state, event);
    case "theme.changed":
      return themeKnown(state, event.theme, event.seq);
    case "hello":
    case "beat":
      return state;
  }
}

/** Nothing of this person remains, and nothing they did is news. */
function personDeleted(state: State, userId: Id, seq: number): State {
  const without = pollsOfGone(moodsOfFollowed(state, userId, false), userId);
  const next = userDeleted(without, userId, seq, (held, postId) => postDeleted(held, postId, seq));
  const theirs = next.notices.items.filter((one) => one.actor_id === userId).map((one) => one.id);
  return theirs.length === 0 ? next : noticesDeleted(next, theirs, null, seq);
}

function postCreated(state: State, event: EventOf<"posts.created">): State {
  const { post, seq } = event;
  const own = post.author_id === state.session.me?.id;
  let next = state;
  for (const [name, view] of Object.entries(state.views)) {
    if (view.status !== "ready" || seq <= view.asOf || view.ids.includes(post.id)) continue;
    if (!belongs(state, name, post.author_id, post.tag_key)) continue;
    if (own) {
      next = setView(next, name, {
        ...view,
        ids: newestFirst([...view.ids, post.id]),
        pile: view.pile.filter((waiting) => waiting.id !== post.id),
      });
    } else if (!view.pile.some((waiting) => waiting.id === post.id) && !next.posts[post.id]?.removed) {
      next = setView(next, name, { ...view, pile: pileUp(view.pile, [post]) });
    }
  }
  if (!own || next === state || next.posts[post.id] !== undefined) return next;
  const { first_comments: _none, ...rest } = post;
  const entry: PostEntry = {
    ...rest,
    editedAt: seq,
    vote: "none",
    voteAt: seq,
    positive_count: 0,
    positiveAt: seq,
    countAt: seq,
    thread: [],
    removed: false,
  };
  return { ...next, posts: put(next.posts, post.id, entry) };
}

/** The pile with these posts under it, each once, newest first. */
export function pileUp(pile: readonly Waiting[], posts: readonly Waiting[]): Waiting[] {
  const fresh = posts.filter((post) => !pile.some((waiting) => waiting.id === post.id));
  return [...pile, ...fresh.map(({ id, author_id }) => ({ id, author_id }))].sort((a, b) => b.id - a.id);
}

/** Whether a view lists posts like this one. */
export function belongs(state: State, name: string, authorId: Id, tagKey: string | null): boolean {
  if (name === authorView(authorId)) return true;
  if (!name.startsWith("feed:")) return false;
  const tag = name.slice("feed:".length);
  if (tag !== "" && tagKeyOf(state, name, tag) !== tagKey) return false;
  return authorId === state.session.me?.id || mayBeFollowed(state, authorId);
}

/** What the server compares this view's tag by: a post already in it knows; else the nearest guess. */
function tagKeyOf(state: State, name: string, tag: string): string {
  const first = state.views[name]?.ids.map((id) => state.posts[id]?.tag_key).find((key) => typeof key === "string");
  return first ?? tag.trim().replace(/^#/, "").normalize("NFC").replace(/\s+/g, " ").trim().toLowerCase();
}

/** The post's words and comments go; its place in the lists stays, for the line `Removed`. */
export function postDeleted(state: State, postId: Id, seq: number): State {
  let next = state;
  for (const [name, view] of Object.entries(state.views))
    if (view.pile.some((waiting) => waiting.id === postId))
      next = setView(next, name, { ...view, pile: view.pile.filter((waiting) => waiting.id !== postId) });
  const entry = next.posts[postId];
  if (entry === undefined || entry.removed) return next;
  const comments = { ...next.comments };
  for (const id of entry.thread) delete comments[id];
  const gone: PostEntry = { ...entry, title: null, text: "", tag: null, tag_key: null, pictures: [], thread: [], comments_count: 0, countAt: seq, removed: true };
  return { ...next, comments, posts: put(next.posts, postId, gone) };
}

export function followChanged(state: State, userId: Id, following: boolean, seq: number): State {
  const held = state.follows[userId];
  if (held !== undefined && seq <= held.at) return state;
  let next: State = { ...state, follows: put(state.follows, userId, { following, at: seq }) };
  const profile = next.profiles[userId];
  if (profile !== undefined && profile.followed !== following)
    next = { ...next, profiles: put(next.profiles, userId, { ...profile, followed: following }) };
  for (const [name, view] of Object.entries(next.views)) {
    if (!name.startsWith("feed:") || seq <= view.asOf) continue;
    const pile = following ? view.pile : view.pile.filter((waiting) => waiting.author_id !== userId);
    next = setView(next, name, { ...view, pile, stale: true, followsAnyone: view.followsAnyone || following });
  }
  if (seq > next.moods.asOf) next = moodsOfFollowed(next, userId, following);
  return seq > next.polls.asOf ? pollsOfFollowed(next, userId, following) : next;
}

function change(state: State, postId: Id, how: (post: PostEntry) => PostEntry): State {
  const post = state.posts[postId];
  if (post === undefined || post.removed) return state;
  const changed = how(post);
  return changed === post ? state : { ...state, posts: put(state.posts, postId, changed) };
}

export function setView(state: State, name: string, view: ListView): State {
  return { ...state, views: { ...state.views, [name]: view } };
}
