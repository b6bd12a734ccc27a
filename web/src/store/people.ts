// People: their names and photos, their profiles, and what is left when one is no more.
//
// Promises: a name stands in one place, so a rename shows everywhere at once; what was told later is
// never overwritten by a reply that was read earlier; whoever is gone does not come back with a late reply.

import type { EventOf } from "../wire/frames";
import type { Me, Profile, User } from "../wire/types.gen";
import { pend } from "./pending";
import type { Id, State } from "./state";
import { PEOPLE_TOLD_MAX, authorView, put, without } from "./state";

/** Whether this person is known to be no more. */
export const isGone = (state: State, userId: Id): boolean => state.goneAt[userId] !== undefined;

/** Names travel beside the ids that need them; these are as of `seq`. */
export function holdUsers(state: State, users: readonly User[], seq: number): State {
  const fresh = users.filter((user) => {
    const held = state.users[user.id];
    const same = held !== undefined && held.name === user.name && held.photo_url === user.photo_url;
    return !same && !isGone(state, user.id) && seq >= (state.renamedAt[user.id] ?? 0);
  });
  if (fresh.length === 0) return state;
  const held = { ...state.users };
  for (const { id, name, photo_url } of fresh) held[id] = { id, name, photo_url };
  return { ...state, users: held };
}

/** Somebody has another name or photo. */
export function userChanged(state: State, user: User, seq: number): State {
  if (isGone(state, user.id) || seq < (state.renamedAt[user.id] ?? 0)) return state;
  const { name, photo_url } = user;
  const noted = { ...state, renamedAt: told(state.renamedAt, user.id, seq) };
  let next = holdUsers(noted, [user], seq);
  const { me } = next.session;
  if (me?.id === user.id && (me.name !== name || me.photo_url !== photo_url))
    next = { ...next, session: { ...next.session, me: { ...me, name, photo_url } } };
  const profile = next.profiles[user.id];
  if (profile !== undefined && profile.asOf <= seq && (profile.name !== name || profile.photo_url !== photo_url))
    next = { ...next, profiles: put(next.profiles, user.id, { ...profile, name, photo_url }) };
  return next;
}

/** A profile was changed. While its owner hides numbers nobody is told them, and the owner keeps those known. */
export function profileChanged(state: State, profile: Profile, seq: number): State {
  const held = state.profiles[profile.id];
  const next = holdUsers(state, [profile], seq);
  if (held === undefined || seq < held.asOf) return next;
  const { followers_count, following_count, countedAt } = held;
  const keeps = countedAt > seq || (profile.followers_count === null && next.session.me?.id === profile.id);
  const counts = keeps ? { followers_count, following_count, countedAt } : { countedAt: seq };
  return { ...next, profiles: put(next.profiles, profile.id, { ...held, ...profile, ...counts, asOf: seq }) };
}

export function profileCounted(state: State, event: EventOf<"profiles.counted">): State {
  const { user_id, followers_count, following_count, seq: countedAt } = event;
  const profile = state.profiles[user_id];
  if (profile === undefined || countedAt < profile.countedAt) return state;
  return { ...state, profiles: put(state.profiles, user_id, { ...profile, followers_count, following_count, countedAt }) };
}

/** The own account was changed: address, privacy, the dot. */
export function accountChanged(state: State, me: Me, seq: number): State {
  if (state.session.me?.id !== me.id) return state;
  return { ...holdUsers(state, [me], seq), session: { ...state.session, me } };
}

/**
 * Somebody is no more: every trace goes but the places of their posts. How many comments remain under
 * other people's posts is told right after, in the same commit.
 */
export function userDeleted(state: State, userId: Id, seq: number, postDeleted: (state: State, postId: Id) => State): State {
  if (isGone(state, userId)) return state;
  let next: State = { ...state, goneAt: told(state.goneAt, userId, seq) };
  for (const post of Object.values(next.posts)) if (post.author_id === userId && !post.removed) next = postDeleted(next, post.id);
  next = forgetComments(next, userId);
  const { [authorView(userId)]: _profile, ...views } = next.views;
  for (const [name, view] of Object.entries(views)) {
    const pile = view.pile.filter((waiting) => waiting.author_id !== userId);
    if (pile.length < view.pile.length) views[name] = { ...view, pile };
  }
  return pend(
    {
      ...next,
      views,
      users: without(next.users, [userId]),
      profiles: without(next.profiles, [userId]),
      follows: without(next.follows, [userId]),
      renamedAt: without(next.renamedAt, [userId]),
    },
    "follows",
    userId,
    null,
  );
}

function forgetComments(state: State, userId: Id): State {
  const theirs = new Set(Object.values(state.comments).filter((comment) => comment.author_id === userId).map((comment) => comment.id));
  if (theirs.size === 0) return state;
  const posts = { ...state.posts };
  for (const post of Object.values(posts)) {
    const thread = post.thread.filter((id) => !theirs.has(id));
    const gone = post.thread.length - thread.length;
    if (gone > 0) posts[post.id] = { ...post, thread, comments_count: Math.max(thread.length, post.comments_count - gone) };
  }
  return { ...state, posts, comments: without(state.comments, theirs) };
}

/** Notes that this was told of somebody. The newest are enough: a reply is late by seconds, not by days. */
function told(record: Record<Id, number>, id: Id, seq: number): Record<Id, number> {
  const all = put(record, id, seq);
  const ids = Object.keys(all).map(Number);
  if (ids.length <= PEOPLE_TOLD_MAX) return all;
  const byTime = ids.sort((a, b) => (all[a] ?? 0) - (all[b] ?? 0));
  return without(all, byTime.slice(0, ids.length - PEOPLE_TOLD_MAX));
}
