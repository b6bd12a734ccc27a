// Polls: small questions that stay open for seven days.
//
// Promises: a tally is the newest that was received. A vote is final. A deleted poll does not return with a
// late page. A new poll of another user waits until the reader asks for it. The polls of a group are removed
// with the group. Polls are held only while a screen shows them. A poll that is being written is kept for the
// session, and so is a vote that waits for the connection.
//
// This feature is registered when the first screen with polls is loaded, so that no page without polls pays for it.

import { defineFeature } from "../../engine/feature";
import type { EventOf } from "../../engine/frames";
import { addFeature } from "../../engine/store";
import type { Audience, Poll, PollView } from "../../engine/types.gen";
import { storeGroupNames } from "../shared/groups/groups";
import { storeUsers, isGone, isViewer } from "../shared/people/people";
import { mayBeFollowed, isNewestFollow } from "../shared/people/follows";
import type { Id, State } from "../../engine/state";
import type { Waiting } from "../shared/groups/audience";
import { DELETIONS_MAX, newestFirst, put, withFields, without } from "../../engine/state";
import { groupOf, isGroupGone, waitingOf } from "../shared/groups/audience";

/** The view that a screen with polls registers. */
export const POLLS_VIEW = "polls";

export type PollEntry = PollView & {
  /** The seq as of which choice and tally are known. */
  at: number;
  /**
   * The poll was read, so this connection is subscribed to its tally. A poll known only by an event must be
   * read.
   */
  subscribed: boolean;
  /** The poll has closed while it was on screen. */
  closed: boolean;
  /** The poll was deleted. Its text is dropped, and the line `Removed` stays. */
  removed: boolean;
};

/** A poll that is being written. It is dropped when the account changes. */
export type PollDraft = { question: string; options: string[]; audience: Audience; sending: boolean };

export type Polls = {
  items: Record<Id, PollEntry>;
  /** Newest first. */
  ids: Id[];
  /** New polls that wait for a press. */
  waiting: Waiting[];
  older: Id | null;
  status: "none" | "loading" | "ready" | "failed";
  loadingOlder: boolean;
  /** The list must be read again, because the polls of a newly followed user or joined group are unknown. */
  stale: boolean;
  asOf: number;
  /** Deleted polls. */
  gone: Record<Id, true>;
  /** Votes that are being sent: the option, by poll. They stay when their card is left. */
  casting: Record<Id, number>;
  draft: PollDraft | null;
};

declare module "../../engine/state" {
  interface State {
    polls: Polls;
  }
}

export const noPolls = (): Polls => ({
  items: {},
  ids: [],
  waiting: [],
  older: null,
  status: "none",
  loadingOlder: false,
  stale: false,
  asOf: 0,
  gone: {},
  casting: {},
  draft: null,
});

/** Changes the polls of the state. */
export function setPolls(state: State, changes: Partial<Polls>): State {
  return { ...state, polls: { ...state.polls, ...changes } };
}

/** Changes a poll that is held and not deleted. */
export function changePoll(state: State, id: Id, how: (held: PollEntry) => PollEntry): State {
  const held = state.polls.items[id];
  if (held === undefined || held.removed) return state;
  return setPolls(state, { items: put(state.polls.items, id, how(held)) });
}

export const entryOf = (view: PollView, at: number, subscribed: boolean): PollEntry => ({
  ...view,
  at,
  subscribed,
  closed: false,
  removed: false,
});

export function pollCreated(
  state: State,
  { poll: made, users, groups, seq }: EventOf<"polls.created">,
): State {
  const { status, items, ids, waiting, asOf, gone } = state.polls;
  const { id, creator_id, audience } = made;
  const isKnown = gone[id] === true || items[id] !== undefined || waiting.some((one) => one.id === id);
  if (
    status === "none" ||
    seq < asOf ||
    isKnown ||
    isGone(state, creator_id) ||
    isGroupGone(state, audience, seq)
  )
    return state;
  const next = storeGroupNames(storeUsers(state, users, seq), groups, seq);
  const isOwn = creator_id === state.session.me?.id;
  if (!isOwn && audience.type === "public" && !mayBeFollowed(state, creator_id)) return state;
  // The viewer's own poll is listed at once. So is the first poll of an empty list, because it moves nothing.
  if (isOwn || ids.length === 0) return listPoll(next, { ...made, choice: null, tally: null }, seq, false);
  return setPolls(next, { waiting: [...waiting, waitingOf(id, creator_id, audience)] });
}

/** Puts a poll into the list. */
export function listPoll(
  state: State,
  view: PollView | (Poll & { choice: null; tally: null }),
  seq: number,
  subscribed: boolean,
): State {
  const { items, ids, waiting } = state.polls;
  return setPolls(state, {
    items: put(items, view.id, items[view.id] ?? entryOf(view, seq, subscribed)),
    ids: newestFirst([...ids, view.id]),
    waiting: waiting.filter((one) => one.id !== view.id),
  });
}

export function pollDeleted(state: State, id: Id): State {
  const { status, waiting, gone } = state.polls;
  if (status === "none") return state;
  const ids = [...Object.keys(gone).map(Number), id].slice(-DELETIONS_MAX);
  const next = setPolls(state, {
    waiting: waiting.filter((one) => one.id !== id),
    gone: Object.fromEntries(ids.map((one) => [one, true as const])),
  });
  return changePoll(next, id, emptied);
}

const emptied = (held: PollEntry): PollEntry => ({
  ...held,
  question: "",
  options: [],
  choice: null,
  tally: null,
  removed: true,
});

/** The viewer voted, here or on another device. */
export function pollVoted(state: State, id: Id, choice: number, tally: number[] | null, seq: number): State {
  return changePoll(state, id, (held) =>
    held.choice !== null && seq < held.at ? held : { ...held, choice, tally: tally ?? held.tally, at: seq },
  );
}

/** Another user voted in a poll that the viewer voted in. */
export function pollCounted(state: State, { poll_id, tally, seq }: EventOf<"polls.counted">): State {
  return changePoll(state, poll_id, (held) =>
    held.choice === null || seq < held.at ? held : { ...held, tally, at: seq },
  );
}

/** Applies a follow or an unfollow. Polls appear after a read, and are removed at once. */
export function pollsOfFollowed(state: State, userId: Id, following: boolean): State {
  const { status, ids, items, waiting } = state.polls;
  if (status === "none") return state;
  if (following) return setPolls(state, { stale: true });
  return setPolls(state, {
    ids: ids.filter((id) => items[id]?.creator_id !== userId || items[id]?.audience.type === "group"),
    waiting: waiting.filter((one) => one.author_id !== userId || one.group_id !== undefined),
  });
}

/** The viewer is no longer in this group. All its polls are removed, the viewer's own included. */
export function pollsOfLost(state: State, groupId: Id, seq: number): State {
  const { status, items, waiting, asOf } = state.polls;
  if (status === "none" || seq < asOf) return state;
  const next = setPolls(state, { waiting: waiting.filter((one) => one.group_id !== groupId) });
  const shared = Object.values(items).filter((held) => groupOf(held.audience) === groupId);
  return shared.reduce((left, { id }) => changePoll(left, id, emptied), next);
}

/** The viewer is in this group. Its polls appear after a read, also those that were removed before. */
export function pollsOfJoined(state: State, groupId: Id, seq: number): State {
  const { status, items, ids, gone, asOf } = state.polls;
  if (status === "none" || seq < asOf) return state;
  const went = Object.values(items).flatMap((held) =>
    held.removed && groupOf(held.audience) === groupId ? [held.id] : [],
  );
  return setPolls(state, {
    items: without(items, went),
    ids: ids.filter((id) => !went.includes(id)),
    gone: without(gone, went),
    stale: true,
  });
}

/** The viewer muted or unmuted a user, whose polls are removed or appear after the next read. */
export function pollsOfMuted(state: State, userId: Id, muted: boolean): State {
  const { status, ids, items, waiting } = state.polls;
  if (status === "none") return state;
  if (!muted) return setPolls(state, { stale: true });
  return setPolls(state, {
    ids: ids.filter((id) => items[id]?.creator_id !== userId),
    waiting: waiting.filter((one) => one.author_id !== userId),
  });
}

/** The polls of a deleted user. Only their places in the list stay. */
export function pollsOfGone(state: State, userId: Id): State {
  const theirs = [
    ...Object.values(state.polls.items).map(({ id, creator_id }) => ({ id, author_id: creator_id })),
    ...state.polls.waiting,
  ];
  return theirs
    .filter((one) => one.author_id === userId)
    .reduce((next, { id }) => pollDeleted(next, id), state);
}

const polls = defineFeature({
  initial: () => ({ polls: noPolls() }),
  on: {
    "polls.created": pollCreated,
    "polls.deleted": (state, { poll_id }) => pollDeleted(state, poll_id),
    "polls.voted": (state, { poll_id, choice, tally, seq }) => pollVoted(state, poll_id, choice, tally, seq),
    "polls.counted": pollCounted,
    "follows.changed": (state, event) =>
      isNewestFollow(state, event) && event.seq >= state.polls.asOf
        ? pollsOfFollowed(state, event.user_id, event.following)
        : state,
    "people.changed": (state, { user_id, muted }) => pollsOfMuted(state, user_id, muted),
    "users.deleted": (state, { user_id }) => pollsOfGone(state, user_id),
    "groups.joined": (state, { user_ids, group, seq }) =>
      isViewer(state, ...user_ids) ? pollsOfJoined(state, group.id, seq) : state,
    "groups.left": (state, { user_id, group_id, seq }) =>
      isViewer(state, user_id) ? pollsOfLost(state, group_id, seq) : state,
    "groups.deleted": (state, { group_id, seq }) => pollsOfLost(state, group_id, seq),
  },
  evict: (state, shown) => {
    if (state.polls.status === "none" || shown.views.has(POLLS_VIEW)) return state;
    // Votes that are being sent are kept until the reply, and the draft is kept for the session.
    const { casting, draft } = state.polls;
    return { ...state, polls: { ...noPolls(), casting, draft } };
  },
  topics: ({ polls: { ids } }) => ({ polls: ids }),
  forgetSeqs: ({ polls: held }) => ({
    polls: { ...held, asOf: 0, gone: {}, items: withFields(held.items, { at: 0 }) },
  }),
});

addFeature(polls);
