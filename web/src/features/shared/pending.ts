// Pending changes, which were sent and are not answered yet. They are held apart from the server's state.
//
// Promise: a component shows the server's state with pending changes on top. An older frame changes only the
// server's state. The reply ends the pending change.

import type { Vote } from "../../engine/types.gen";
import type { Id, State } from "../../engine/state";

/**
 * `behind` is the newest comment that was known when this one was sent. The reply's comment has a greater id.
 */
export type PendingComment = { local: number; post_id: Id; text: string; behind: Id };

declare module "../../engine/state" {
  interface State {
    pending: Pending;
  }
}

export type Pending = {
  votes: Record<Id, Vote>;
  follows: Record<Id, boolean>;
  comments: PendingComment[];
};

export const nothingPending = (): Pending => ({ votes: {}, follows: {}, comments: [] });

export function shownVote(state: State, postId: Id): Vote {
  return state.pending.votes[postId] ?? state.posts[postId]?.vote ?? "none";
}

type Keyed = "votes" | "follows";

/** Begins a pending change. Null ends it. */
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
  return {
    ...state,
    pending: { ...state.pending, comments: state.pending.comments.filter((c) => c.local !== local) },
  };
}
