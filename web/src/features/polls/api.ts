// The requests of polls: list, vote, create, delete, voters.
//
// Promises: a list on screen is changed in place; a request to create that is repeated keeps its key, so the
// poll is created once; after a vote that was too late, the poll shows its present state.

import { everyone } from "../shared/groups/useAudiences";
import { ask } from "../../engine/client";
import type { Loads } from "../../engine/feature";
import { storeGroupNames } from "../shared/groups/groups";
import { closePoll, loadOlderPolls, loadPolls, refreshPolls } from "./read";
import { storeUsers } from "../shared/people/people";
import type { PollDraft } from "./state";
import { listPoll, setPolls, pollCounted, pollDeleted, pollVoted } from "./state";
import type { Id } from "../../engine/state";
import { asRead, without } from "../../engine/state";
import { store, update } from "../../engine/store";
import { isBlank, tidyLine } from "../shared/text";
import { now } from "../../ui/now";
import { RefusedError } from "../../engine/ask";
import type { Ok } from "../../engine/frames";
import { RequestKey, newKey } from "../../engine/keys";

export const loads = {
  "polls.list": (state, page, { before }) =>
    before === null ? loadPolls(state, page) : loadOlderPolls(state, before, page),
} satisfies Loads;

/** The most polls whose tallies the server sends to one connection. */
const SUBSCRIBED_MAX = 100;

/** Reads the list, or reads it again in place as far as it was read. Returns whether it succeeded. */
export async function readPolls(): Promise<boolean> {
  const { status } = store.getState().polls;
  if (status !== "ready") return readFirst();
  update((s) => setPolls(s, { stale: false }));
  try {
    const length = Math.min(SUBSCRIBED_MAX, store.getState().polls.ids.length);
    let page = await ask("polls.list", { before: null });
    while (page.older !== null && page.polls.length < length) {
      const { polls, users, groups, older } = await ask("polls.list", { before: page.older });
      page = {
        ...page,
        polls: [...page.polls, ...polls],
        users: [...page.users, ...users],
        groups: [...page.groups, ...groups],
        older,
      };
    }
    update((s) => refreshPolls(s, page, now()));
    return true;
  } catch {
    // The list stays as it was, and the caller may try again.
    return false;
  }
}

/**
 * Replaces the list by the newest polls. Returns whether it succeeded. If a list is shown already, it stays
 * after a failure, and the function throws a RefusedError.
 */
export async function readFirst(): Promise<boolean> {
  const wasReady = store.getState().polls.status === "ready";
  update((s) => setPolls(s, { stale: false, status: wasReady ? "ready" : "loading" }));
  try {
    const page = await ask("polls.list", { before: null });
    update((s) => loadPolls(s, page));
    return true;
  } catch (error) {
    if (wasReady) throw error;
    update((s) => (s.polls.status === "loading" ? setPolls(s, { status: "failed" }) : s));
    return false;
  }
}

/**
 * Reads the tallies of the listed polls that the viewer voted in. It is needed after a reconnect, because
 * tallies are not replayed and only a read subscribes the new connection to them. Sends nothing if there are
 * no such polls.
 */
export async function readTallies(): Promise<void> {
  const { ids, items } = store.getState().polls;
  const voted = ids.filter((id) => {
    const held = items[id];
    return held !== undefined && held.choice !== null && !held.closed && !held.removed;
  });
  if (voted.length === 0) return;
  try {
    const { tallies, seq } = await ask("polls.tallies", { poll_ids: voted.slice(0, SUBSCRIBED_MAX) });
    update((s) =>
      tallies.reduce((next, one) => pollCounted(next, { ev: "polls.counted", seq: asRead(seq), ...one }), s),
    );
  } catch {
    // The known tallies stay. They are read again after the next reconnect.
  }
}

/** Reads the next page. Throws a RefusedError; the list then stays as it was. */
export async function readOlderPolls(): Promise<void> {
  const { older, loadingOlder } = store.getState().polls;
  if (older === null || loadingOlder) return;
  update((s) => setPolls(s, { loadingOlder: true }));
  try {
    const page = await ask("polls.list", { before: older });
    update((s) => loadOlderPolls(s, older, page));
  } finally {
    update((s) => setPolls(s, { loadingOlder: false }));
  }
}

/**
 * Votes once and for good. If the poll is closed, deleted or was voted in already, this shows its present
 * state. Throws a RefusedError for any other refusal.
 */
export async function vote(pollId: Id, option: number): Promise<void> {
  update((s) => setPolls(s, { casting: { ...s.polls.casting, [pollId]: option } }));
  try {
    const ok = await ask("polls.vote", { key: newKey(), poll_id: pollId, option });
    update((s) => pollVoted(s, ok.poll_id, ok.choice, ok.tally, ok.seq));
  } catch (error) {
    const code = error instanceof RefusedError ? error.code : "";
    if (code === "poll_closed") update((s) => closePoll(s, pollId));
    // The poll was deleted, or the viewer is no longer in its group.
    else if (code === "not_found")
      update((s) => (s.polls.items[pollId]?.removed === false ? pollDeleted(s, pollId) : s));
    // The viewer voted on another device, and the event has not arrived.
    else if (code === "poll_voted") await readPolls();
    else throw error;
  } finally {
    update((s) => setPolls(s, { casting: without(s.polls.casting, [pollId]) }));
  }
}

/** Deletes a poll with its votes. Throws a RefusedError. */
export async function deletePoll(pollId: Id): Promise<void> {
  try {
    await ask("polls.delete", { key: newKey(), poll_id: pollId });
  } catch (error) {
    // It was deleted already, so nothing is left to do.
    if (!(error instanceof RefusedError && error.code === "not_found")) throw error;
  }
  update((s) => pollDeleted(s, pollId));
}

/** Reads one page of the people who chose an option, and stores their names. */
export async function readVoters(pollId: Id, option: number, after: Id | null): Promise<Ok<"polls.voters">> {
  const ok = await ask("polls.voters", { poll_id: pollId, option, after });
  update((s) => storeUsers(s, ok.users, ok.seq));
  return ok;
}

export const noDraft: PollDraft = { question: "", options: ["", ""], audience: everyone, sending: false };

/** Keeps the poll that is being written. */
export function write(changes: Partial<PollDraft>): void {
  update((s) => setPolls(s, { draft: { ...(s.polls.draft ?? noDraft), ...changes } }));
}

const createKey = new RequestKey();

/** Creates the poll that was written. Throws a RefusedError; the text is then kept. */
export async function createPoll(): Promise<void> {
  const { question, options, audience } = store.getState().polls.draft ?? noDraft;
  const fields = {
    question: tidyLine(question),
    options: options.map(tidyLine).filter((option) => !isBlank(option)),
    audience,
  };
  write({ sending: true });
  try {
    const ok = await ask("polls.create", { key: createKey.for(fields), ...fields });
    createKey.done();
    update((s) => {
      const done = setPolls(storeGroupNames(storeUsers(s, ok.users, ok.seq), ok.groups, ok.seq), {
        draft: null,
      });
      return done.polls.status === "ready" ? listPoll(done, ok.poll, ok.seq, false) : done;
    });
  } catch (error) {
    // A log-out has deleted the draft, which must not return.
    if (store.getState().polls.draft !== null) write({ sending: false });
    throw error;
  }
}
