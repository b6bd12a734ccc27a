// Puts polls that were read into the state.
//
// Promise: a listed poll keeps its place when it is read again. A new poll waits behind a button.

import type { Ok } from "../../engine/frames";
import type { PollView } from "../../engine/types.gen";
import { storeGroupNames } from "../shared/groups/groups";
import { storeUsers, isGone } from "../shared/people/people";
import type { PollEntry } from "./state";
import { changePoll, entryOf, setPolls, pollDeleted } from "./state";
import type { Id, State } from "../../engine/state";
import type { Waiting } from "../shared/groups/audience";
import { asRead, newestFirst, put } from "../../engine/state";
import { isGroupGone, waitingOf } from "../shared/groups/audience";

/** The most polls in the list. The newest are dropped first when older ones are read. */
export const POLLS_MAX = 200;

type Page = Ok<"polls.list">;

/** Replaces the list by the newest page. */
export function loadPolls(state: State, page: Page): State {
  const at = asRead(page.seq);
  if (at < state.polls.asOf) return state;
  const read = page.polls.filter((one) => isThere(state, one, at));
  const later = Object.values(state.polls.items).filter(
    (held) => !held.subscribed && !held.removed && held.at > at && !read.some((one) => one.id === held.id),
  );
  const items = Object.fromEntries(later.map((held) => [held.id, held]));
  const kept = {
    items: { ...heldOf(state, read), ...items },
    ids: later.map((held) => held.id),
    waiting: newerThan(state, page),
  };
  return taken(setPolls(state, kept), page, read, {
    status: "ready",
    older: page.older,
    asOf: at,
  });
}

/** Adds the next page after the listed polls. Does nothing if the page does not continue the list. */
export function loadOlderPolls(state: State, before: Id, page: Page): State {
  if (state.polls.older !== before) return state;
  const read = page.polls.filter((one) => isThere(state, one, asRead(page.seq)));
  const next = taken(state, page, read, { older: page.older });
  return setPolls(next, { ids: next.polls.ids.slice(-POLLS_MAX) });
}

/**
 * Closes a poll by the server's clock. It stays on screen until the next load, and people who voted see the
 * result.
 */
export const closePoll = (state: State, id: Id): State =>
  changePoll(state, id, (held) => ({ ...held, closed: true }));

/** Applies polls that were read again, as far as they were listed, after an interruption or a follow. */
export function refreshPolls(state: State, page: Page, now: number): State {
  const { ids, items, asOf } = state.polls;
  const at = asRead(page.seq);
  if (at < asOf) return state;
  const read = page.polls.filter((one) => isThere(state, one, at));
  const isListed = (one: PollView) =>
    ids.includes(one.id) || ids.length === 0 || one.creator_id === state.session.me?.id;
  const last = page.older === null ? 0 : (page.polls.at(-1)?.id ?? 0);
  const missing = ids.filter((id) => {
    const held = items[id];
    return (
      id >= last && held !== undefined && held.at <= at && !held.closed && !read.some((one) => one.id === id)
    );
  });
  const others = read
    .filter((one) => !isListed(one))
    .map(({ id, creator_id, audience }) => waitingOf(id, creator_id, audience));
  const waiting = [...newerThan(state, page), ...others];
  // If the list is longer than what was read again, its end stays as it was.
  const older = ids.some((id) => id < last) ? state.polls.older : page.older;
  const isOver = (id: Id) => (items[id]?.closes_at_ms ?? 0) <= now;
  const next = missing.reduce(
    (kept, id) => (isOver(id) ? closePoll(kept, id) : pollDeleted(kept, id)),
    state,
  );
  return taken(next, page, read.filter(isListed), { waiting, status: "ready", older, asOf: at });
}

/** Returns the new polls that arrived while the page was being read. */
function newerThan(state: State, page: Page): Waiting[] {
  const newest = page.polls[0]?.id ?? 0;
  return state.polls.waiting.filter((one) => one.id > newest);
}

function taken(state: State, page: Page, read: readonly PollView[], changes: object): State {
  let { items } = state.polls;
  for (const view of read) items = put(items, view.id, merged(items[view.id], view, asRead(page.seq)));
  const ids = newestFirst([...state.polls.ids, ...read.map((one) => one.id)]);
  return setPolls(storeGroupNames(storeUsers(state, page.users, page.seq), page.groups, page.seq), {
    ...changes,
    items,
    ids,
  });
}

/** Merges a read poll with the held one. Choice and tally of later events stay. */
function merged(held: PollEntry | undefined, view: PollView, readAt: number): PollEntry {
  const entry = entryOf(view, readAt, true);
  if (held === undefined) return entry;
  if (held.removed) return held;
  const { choice, tally, at } = held.at > readAt && held.choice !== null ? held : entry;
  return { ...entry, choice, tally, at, closed: held.closed };
}

function heldOf(state: State, read: readonly PollView[]): Record<Id, PollEntry> {
  const held: Record<Id, PollEntry> = {};
  for (const { id } of read) {
    const entry = state.polls.items[id];
    if (entry !== undefined) held[id] = entry;
  }
  return held;
}

/** Returns whether a poll can be listed: it is not deleted, and its author or group was not left. */
function isThere(state: State, { id, creator_id, audience }: PollView, at: number): boolean {
  const follow = state.follows[creator_id];
  const isLeft =
    audience.type === "public" &&
    follow !== undefined &&
    follow.at > at &&
    !follow.following &&
    creator_id !== state.session.me?.id;
  return (
    !isLeft &&
    !isGroupGone(state, audience, at) &&
    state.polls.gone[id] !== true &&
    !isGone(state, creator_id)
  );
}
