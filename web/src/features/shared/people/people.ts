// Users: names and photos, and what remains of a deleted account.
//
// Promises: a name is held once, so a new name is shown everywhere at once. A reply that was read earlier
// never overwrites a later event. A deleted account does not return with a late reply.

import type { Id, State } from "../../../engine/state";
import { put, without } from "../../../engine/state";
import type { Me, User } from "../../../engine/types.gen";

/** How many renamed users and how many deleted users are remembered. */
export const PEOPLE_REMEMBERED_MAX = 500;

declare module "../../../engine/state" {
  interface State {
    users: Record<Id, User>;
    /** The seq of the newest name and photo, by user, so that an older reply changes neither. */
    renamedAt: Record<Id, number>;
    /** The seq of the deletion, by deleted account, so that a late reply does not restore the account. */
    goneAt: Record<Id, number>;
  }
}

/** Returns whether this account is known to be deleted, or hidden from the viewer by a block. */
export const isGone = (state: State, userId: Id): boolean => state.goneAt[userId] !== undefined;

/** Returns whether the viewer is one of these users. */
export const isViewer = (state: State, ...userIds: Id[]): boolean =>
  userIds.includes(state.session.me?.id ?? 0);

/** Stores the users that a reply or event contains, as of `seq`. */
export function storeUsers(state: State, users: readonly User[], seq: number): State {
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

/** A user changed their name or photo. */
export function userChanged(state: State, user: User, seq: number): State {
  if (isGone(state, user.id) || seq < (state.renamedAt[user.id] ?? 0)) return state;
  const { name, photo_url } = user;
  const noted = { ...state, renamedAt: record(state.renamedAt, user.id, seq) };
  let next = storeUsers(noted, [user], seq);
  const { me } = next.session;
  if (me?.id === user.id && (me.name !== name || me.photo_url !== photo_url))
    next = { ...next, session: { ...next.session, me: { ...me, name, photo_url } } };
  const profile = next.profiles[user.id];
  if (
    profile !== undefined &&
    profile.asOf <= seq &&
    (profile.name !== name || profile.photo_url !== photo_url)
  )
    next = { ...next, profiles: put(next.profiles, user.id, { ...profile, name, photo_url }) };
  return next;
}

/** The viewer's own account changed. `has_unread` is left to the notifications. */
export function accountChanged(state: State, me: Me, seq: number): State {
  const held = state.session.me;
  if (held?.id !== me.id) return state;
  return {
    ...storeUsers(state, [me], seq),
    session: { ...state.session, me: { ...me, has_unread: held.has_unread } },
  };
}

/**
 * An account was deleted, or is hidden from the viewer by a block. Removes its name, profile and follow.
 * shared/posts removes its posts and comments.
 */
export function userDeleted(state: State, userId: Id, seq: number): State {
  if (isGone(state, userId)) return state;
  return {
    ...state,
    goneAt: record(state.goneAt, userId, seq),
    users: without(state.users, [userId]),
    profiles: without(state.profiles, [userId]),
    follows: without(state.follows, [userId]),
    renamedAt: without(state.renamedAt, [userId]),
    pending: { ...state.pending, follows: without(state.pending.follows, [userId]) },
  };
}

/** A user is no longer hidden from the viewer. Later reads have them. */
export const userReturned = (state: State, userId: Id): State =>
  isGone(state, userId) ? { ...state, goneAt: without(state.goneAt, [userId]) } : state;

/** Stores the seq of a change. Only the newest are kept, because replies are late by seconds, not by days. */
function record(seqs: Record<Id, number>, id: Id, seq: number): Record<Id, number> {
  const all = put(seqs, id, seq);
  const ids = Object.keys(all).map(Number);
  if (ids.length <= PEOPLE_REMEMBERED_MAX) return all;
  const byTime = ids.sort((a, b) => (all[a] ?? 0) - (all[b] ?? 0));
  return without(all, byTime.slice(0, ids.length - PEOPLE_REMEMBERED_MAX));
}
