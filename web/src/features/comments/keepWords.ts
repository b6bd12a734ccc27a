// Keeps unsent comments in this browser, for each user and post.
//
// Promises: text is stored a second after it changed, and at once when the page is hidden or closed. It is
// restored until it is sent or emptied, or its user logs out. The newest KEPT_MAX of each user are kept, for
// KEPT_MS.

import type { Clock, Timer } from "../../engine/clock";
import type { Id, State } from "../../engine/state";
import type { Store } from "../../engine/store";
import type { TextStore } from "../../storage";
import type { DraftMention } from "./state";

export const KEPT_MAX = 50;
export const KEPT_MS = 30 * 24 * 3_600_000;
export const SAVE_MS = 1_000;
const PREFIX = "mellow.comment.";

type SavedComment = { text: string; meant: DraftMention[]; atMs: number };

/** The `p` distinguishes the id of a post from the id of a user (app/forgetPerson.ts). */
const prefixOf = (userId: Id): string => `${PREFIX}${userId}.p`;

/** Starts keeping unsent comments, and restores the stored ones when the user is known. */
export function keepWords(store: Store, clock: Clock, storage: TextStore): void {
  let me: Id | null = null;
  let saved: State["drafts"] = {};
  let timer: Timer | null = null;

  const save = (): void => {
    clock.cancel(timer);
    timer = null;
    const { drafts, meant } = store.getState();
    if (me === null || drafts === saved) return;
    const prefix = prefixOf(me);
    const before = saved;
    saved = drafts;
    for (const id of Object.keys(before)) if (!(id in drafts)) storage.removeItem(prefix + id);
    for (const [id, text] of Object.entries(drafts))
      if (before[Number(id)] !== text)
        storage.setItem(
          prefix + id,
          JSON.stringify({
            text,
            meant: meant[Number(id)] ?? [],
            atMs: clock.now(),
          } satisfies SavedComment),
        );
    read(storage, prefix, clock.now());
  };

  const enter = (userId: Id): void => {
    for (const key of keysOf(storage, PREFIX)) if (!key.startsWith(prefixOf(userId))) storage.removeItem(key);
    const kept = read(storage, prefixOf(userId), clock.now());
    store.setState((s) => ({
      ...s,
      drafts: { ...Object.fromEntries(kept.map(([id, { text }]) => [id, text])), ...s.drafts },
      meant: { ...Object.fromEntries(kept.map(([id, { meant }]) => [id, meant])), ...s.meant },
    }));
    // Text that was typed before this file was loaded is not stored yet.
    saved = Object.fromEntries(kept.map(([id, { text }]) => [id, text]));
    timer ??= clock.after(SAVE_MS, save);
  };

  const follow = (state: State): void => {
    const id = state.session.me?.id ?? null;
    if (id !== me) {
      save();
      me = id;
      saved = {};
      if (id !== null) enter(id);
    } else if (me !== null && state.drafts !== saved) timer ??= clock.after(SAVE_MS, save);
  };
  store.subscribe(follow);
  follow(store.getState());
  addEventListener("pagehide", save);
  document.addEventListener("visibilitychange", save);
}

/**
 * Returns the unsent comments of a user, newest first. Deletes those that are too old, too many or
 * unreadable.
 */
function read(storage: TextStore, prefix: string, nowMs: number): [string, SavedComment][] {
  const all = keysOf(storage, prefix).map((key): [string, SavedComment] => [
    key,
    parsed(storage.getItem(key)),
  ]);
  all.sort(([, a], [, b]) => b.atMs - a.atMs);
  return all.flatMap(([key, saved], at): [string, SavedComment][] => {
    if (at < KEPT_MAX && saved.text !== "" && nowMs - saved.atMs < KEPT_MS)
      return [[key.slice(prefix.length), saved]];
    storage.removeItem(key);
    return [];
  });
}

function parsed(value: string | null): SavedComment {
  try {
    const { text, meant, atMs } = JSON.parse(value ?? "") as Partial<SavedComment>;
    if (typeof text === "string" && typeof atMs === "number" && Array.isArray(meant))
      return { text, meant, atMs };
  } catch {
    // This value has another format.
  }
  return { text: "", meant: [], atMs: 0 };
}

const keysOf = (storage: TextStore, prefix: string): string[] =>
  storage.keys().filter((key) => key.startsWith(prefix));
