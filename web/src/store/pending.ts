// Changes that were asked for and not answered yet, kept apart from what the server has said.
//
// Promise: what is shown is the server's truth with this layer on top. A frame that is older than the
// change alters the truth below and never what is shown; the answer ends the change.

import type { Vote } from "../wire/types.gen";
import type { Id, State } from "./state";

/** `behind` is the newest comment known when it was sent: its own answer can only be newer. */
export type PendingComment = { local: number; post_id: Id; text: string; behind: Id };

export type Pending = {
  votes: Record<Id, Vote>;
  follows: Record<Id, boolean>;
  comments: PendingComment[];
};

export const nothingPending = (): Pending => ({ votes: {}, follows: {}, comments: [] });

export function shownVote(state: State, postId: Id): Vote {
  return state.pending.votes[postId] ?? state.posts[postId]?.vote ?? "none";
}

export function shownFollowing(state: State, userId: Id): boolean {
  return state.pending.follows[userId] ?? state.follows[userId]?.following ?? false;
}

/** Whether the viewer may follow this person: the server only tells of people that are followed or on screen. */
export function mayBeFollowed(state: State, userId: Id): boolean {
  return state.pending.follows[userId] ?? state.follows[userId]?.following ?? true;
}

type Keyed = "votes" | "follows";

/** Begins a change; null ends it. */
export function pend<K extends Keyed>(state: State, layer: K, id: Id, value: Pending[K][Id] | null): State {
  const changes = { ...state.pending[layer] } as Record<Id, unknown>;
  if (value === null) delete changes[id];
  else changes[id] = value;
  return { ...state, pending: { ...state.pending, [layer]: changes } };
}

export function pendComment(state: State, comment: PendingComment): State {
  return { ...state, pending: { ...state.pending, comments: [...state.pending.comments, comment] } };
}

export function unpendComment(state: State, local: number): State {
  return { ...state, pending: { ...state.pending, comments: state.pending.comments.filter((c) => c.local !== local) } };
}
