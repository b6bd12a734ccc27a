// Keeps the list of saved posts up to date while it is shown.
//
// Promise: a post that the viewer saves on another device is on top at once. A post that was deleted, that the viewer
// may no longer see, or that is no longer saved leaves no line. If the focus was in it, the post that takes its place
// gets the focus.

import type { FocusEvent } from "react";
import { useEffect, useLayoutEffect, useRef } from "react";
import { ask } from "../../engine/client";
import type { Id, State } from "../../engine/state";
import { update, useStore } from "../../engine/store";
import { catchFocus } from "../../ui/focus";
import { setView } from "../shared/posts/posts";
import type { Page } from "../shared/posts/read";
import { loadFirstPage, readPage } from "../shared/posts/read";
import type { ListView } from "../shared/posts/types";
import { SAVED_VIEW } from "../shared/posts/types";

const none: readonly Id[] = [];

function isListed(state: State, postId: Id): boolean {
  const post = state.posts[postId];
  return post?.saved === true && !post.removed;
}

/** Drops what is no longer to be listed. */
function tidied(state: State): State {
  const view = state.views[SAVED_VIEW];
  if (view === undefined) return state;
  return setView(state, SAVED_VIEW, { ...view, ids: view.ids.filter((id) => isListed(state, id)) });
}

/**
 * Applies the newest page again: its posts come first, and the other listed ones stay below them. It replaces the list if
 * it is the whole list, or if posts may be missing between the two.
 */
function loadAgain(state: State, page: Page): State {
  const before = state.views[SAVED_VIEW];
  const next = loadFirstPage(state, SAVED_VIEW, page);
  const now = next.views[SAVED_VIEW];
  if (before === undefined || now === undefined || page.older === null) return next;
  if (!now.ids.some((id) => before.ids.includes(id))) return next;
  const rest = before.ids.filter((id) => !now.ids.includes(id));
  return setView(next, SAVED_VIEW, { ...now, ids: [...now.ids, ...rest], older: before.older });
}

async function readAgain(): Promise<void> {
  const page = await readPage(ask, SAVED_VIEW, null);
  update((s) => loadAgain(s, page));
}

/** A list whose top was dropped is not read again, because posts would be missing below its new top. */
const needsRead = (view: ListView | undefined): boolean =>
  view?.status === "ready" &&
  view.topCut === null &&
  (view.stale || (view.ids.length === 0 && view.older !== null));

type FocusHandlers = { onFocus(event: FocusEvent<HTMLElement>): void; onBlur(): void };

/** Returns the handlers for the element that holds the list. */
export function useSaved(): FocusHandlers {
  const ids = useStore((s) => s.views[SAVED_VIEW]?.ids ?? none);
  const isStale = useStore((s) => s.connection.state !== "offline" && needsRead(s.views[SAVED_VIEW]));
  const isUntidy = useStore((s) => s.views[SAVED_VIEW]?.ids.every((id) => isListed(s, id)) === false);
  const before = useRef(none);
  /** The post that has the focus. It stays set when the post leaves the page with the focus. */
  const focused = useRef<Id | null>(null);

  useEffect(() => {
    // What is shown stays, and the next change or reconnect reads it again.
    if (isStale) void readAgain().catch(() => undefined);
  }, [isStale]);

  useLayoutEffect(() => {
    if (isUntidy) update(tidied);
  }, [isUntidy]);

  useLayoutEffect(() => {
    const were = before.current;
    const left = focused.current;
    before.current = ids;
    if (left === null || ids.includes(left)) return;
    focused.current = null;
    const next = were.slice(were.indexOf(left) + 1).find((id) => ids.includes(id)) ?? ids.at(-1);
    const place = next === undefined ? "main" : `[data-item="${String(next)}"]`;
    catchFocus(() => document.querySelector<HTMLElement>(place));
  }, [ids]);

  return {
    onFocus: ({ target }) => {
      const item = target.closest<HTMLElement>("[data-item]")?.dataset["item"];
      focused.current = item === undefined ? null : Number(item);
    },
    onBlur: () => {
      focused.current = null;
    },
  };
}
