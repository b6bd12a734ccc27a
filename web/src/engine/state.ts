// The state of the page: each thing once, by id. Components show this state with pending changes on top
// (features/shared/pending.ts).
//
// Each feature adds its own part to `State` by declaration merging. Beside the server's data an entry has the
// seq up to which it is known (`..At`): the seq of the last event that changed it, or the seq of the reply plus
// 0.5 if it was read. An event below that seq is already contained and is dropped. An event of the same seq
// belongs to the same write and is applied.

import type { Backups, Me } from "./types.gen";

export type Id = number;

/** How many deleted ids each feature remembers. Events are late by seconds only, so the newest are enough. */
export const DELETIONS_MAX = 500;

export interface State {
  session: { phase: "unknown" | "guest" | "signed-in" | "ended"; me: Me | null };
  connection: { state: "live" | "reconnecting" | "offline" | "idle"; since: number };
  /** The build of the server, from its last `hello`. */
  build: string | null;
  /** The host's settings for backups; null until the first `hello`. */
  backups: Backups | null;
  /** Counts the connections, each from its `hello`. */
  connections: number;
  /** Counts the resyncs. A list that a component holds by itself is read again when this rises. */
  resyncs: number;
}

/** Returns whether the viewer is in quiet hours. The server decides it, and sends nothing then that waits (D-U3). */
export const isQuiet = ({ session }: State): boolean => Boolean(session.me?.quiet_until_ms);

/**
 * The seq for read data. A reply contains the whole write of its seq, so it is later than the write's events.
 */
export const asRead = (seq: number): number => seq + 0.5;

/** Returns the record with one value replaced, or the same object if nothing changes. */
export function put<T>(record: Record<Id, T>, id: Id, value: T): Record<Id, T> {
  return record[id] === value ? record : { ...record, [id]: value };
}

/** Newest first: ids are ordered by time. */
export const newestFirst = (ids: Iterable<Id>): Id[] => [...new Set(ids)].sort((a, b) => b - a);

export function without<T>(record: Record<Id, T>, ids: Iterable<Id>): Record<Id, T> {
  const copy = { ...record };
  for (const id of ids) delete copy[id];
  return copy;
}

/** Returns the record with these fields replaced in every value. */
export function withFields<T extends object>(record: Record<Id, T>, fields: Partial<T>): Record<Id, T> {
  return Object.fromEntries(Object.entries(record).map(([id, value]) => [id, { ...value, ...fields }]));
}
