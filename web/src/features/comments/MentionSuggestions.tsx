// Suggestions for a mention that is being typed, below the box. The box keeps the focus: arrow keys choose,
// Enter and Tab accept, and Escape closes.
//
// Promises: the typed text is never covered; a late reply is not shown; without a match there is no list.

import { useEffect, useEffectEvent, useId, useLayoutEffect, useRef, useState } from "react";
import type { KeyboardEvent, RefObject } from "react";
import { Avatar } from "../../ui/Avatar";
import { announce } from "../../ui/announce";
import { isComposing } from "../../ui/composing";
import type { Id } from "../../engine/state";
import { useStore } from "../../engine/store";
import { isRtl, many, say } from "../../say";
import type { User } from "../../engine/types.gen";
import { fits, mentionable } from "./mentionable";
import styles from "./mentionSuggestions.module.css";

/** The pause in typing before the server is asked. */
const SUGGEST_PAUSE_MS = 150;
const OFFERED_MAX = 8;
const GAP_PX = 4;
const WIDTH_MAX_PX = 320;
/** The height of eight suggestions. */
const HEIGHT_MAX_PX = 364;
/** If there is less space than this below the box, the list may be above it. */
const ROOM_MIN_PX = 150;

/** The ids of the list and of the chosen option, for the box's ARIA attributes. */
export type ListIds = { listId: string; activeId: string };
/** Handles a key. Returns true if the key was for the list. */
export type Keys = (event: KeyboardEvent) => boolean;

export type PeopleProps = {
  postId: Id;
  term: string;
  box: RefObject<HTMLTextAreaElement | null>;
  keys: RefObject<Keys | null>;
  onPick(user: User): void;
  onListIds(ids: ListIds | null): void;
  onDismiss(): void;
};

export function People({ postId, term, box, keys, onPick, onListIds, onDismiss }: PeopleProps) {
  const names = useStore((s) => s.users);
  const goneAt = useStore((s) => s.goneAt);
  // A user may have been renamed or deleted since the reply.
  const people = usePeople(postId, term).flatMap((user) =>
    goneAt[user.id] === undefined ? [names[user.id] ?? user] : [],
  );
  const [chosen, setChosen] = useState<Id | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const listId = useId();
  const at = Math.max(
    0,
    people.findIndex((user) => user.id === chosen),
  );
  const active = people[at];
  const activeId = active === undefined ? null : `${listId}-${active.id}`;

  const setListIds = useEffectEvent(onListIds);
  useLayoutEffect(() => {
    setListIds(activeId === null ? null : { listId, activeId });
    if (activeId !== null) document.getElementById(activeId)?.scrollIntoView({ block: "nearest" });
    return () => setListIds(null);
  }, [listId, activeId]);

  const isOpen = people.length > 0;
  const announceCount = useEffectEvent(() => announce(many(people.length, "{n} person", "{n} people")));
  useEffect(() => {
    if (isOpen) announceCount();
  }, [isOpen]);
  usePlace(list, box, people.length);

  useLayoutEffect(() => {
    keys.current = (event) => {
      if (
        active === undefined ||
        isComposing(event.nativeEvent) ||
        event.ctrlKey ||
        event.metaKey ||
        event.altKey
      )
        return false;
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        const by = event.key === "ArrowDown" ? 1 : -1;
        setChosen(people[(at + by + people.length) % people.length]?.id ?? null);
      } else if ((event.key === "Enter" || event.key === "Tab") && !event.shiftKey) onPick(active);
      else if (event.key === "Escape") onDismiss();
      else return false;
      return true;
    };
    return () => {
      keys.current = null;
    };
  });

  if (!isOpen) return null;
  return (
    <div
      ref={list}
      id={listId}
      role="listbox"
      aria-label={say("People")}
      className={styles.people}
      popover="manual"
      tabIndex={0}
      // The box keeps the focus, so a phone's keyboard stays open.
      onMouseDown={(event) => event.preventDefault()}
    >
      {people.map((user) => (
        <button
          key={user.id}
          id={`${listId}-${user.id}`}
          type="button"
          role="option"
          tabIndex={-1}
          aria-selected={user === active}
          className={styles.person}
          onClick={() => onPick(user)}
        >
          <span aria-hidden="true" className={styles.face}>
            <Avatar id={user.id} name={user.name} photo={user.photo_url} size={32} />
          </span>
          <span className={styles.name}>
            <bdi>{user.name}</bdi>
          </span>
        </button>
      ))}
    </div>
  );
}

/**
 * Returns the users whom the server offers for a term. Until it replies, they are those of the last reply who
 * still fit.
 */
function usePeople(postId: Id, term: string): User[] {
  const [replies, setReplies] = useState<Record<string, User[]>>({});
  const last = useRef<User[]>([]);
  // If no name matches a prefix of the term, none matches the term.
  const isVain = [...term].some(
    (_, end) => end > 0 && replies[[...term].slice(0, end).join("")]?.length === 0,
  );
  const reply = isVain ? [] : replies[term];

  const hasReply = reply !== undefined;
  useEffect(() => {
    if (hasReply) return;
    let isCurrent = true;
    const timer = setTimeout(() => {
      mentionable(postId, term).then(
        (users) => {
          if (isCurrent) setReplies((others) => ({ ...others, [term]: users.slice(0, OFFERED_MAX) }));
        },
        // A failure shows no error, because the name can be written as plain text.
        () => undefined,
      );
    }, SUGGEST_PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [postId, term, hasReply]);

  if (reply !== undefined) last.current = reply;
  return reply ?? last.current.filter((user) => fits(user.name, term));
}

/**
 * Puts the list below the box, or above it if there is more space. The list is a popover, because a card
 * hides everything outside its own box. A browser without popovers shows the list in the flow.
 */
function usePlace(
  list: RefObject<HTMLDivElement | null>,
  box: RefObject<HTMLTextAreaElement | null>,
  count: number,
): void {
  useLayoutEffect(() => {
    const node = list.current;
    const area = box.current;
    if (count === 0 || node === null || area === null || typeof node.showPopover !== "function") return;
    if (!node.matches(":popover-open")) node.showPopover();
    const place = () => {
      const { top, bottom, left, right, width } = area.getBoundingClientRect();
      const ceiling = visualViewport?.offsetTop ?? 0;
      const floor = ceiling + (visualViewport?.height ?? innerHeight);
      const below = floor - bottom - 2 * GAP_PX;
      const above = top - ceiling - 2 * GAP_PX;
      const height = Math.min(node.scrollHeight, ROOM_MIN_PX);
      const isUp = below < height && above > below;
      const { style } = node;
      const page = document.documentElement;
      style.insetInlineStart = `${String(isRtl() ? page.clientWidth - right : left)}px`;
      style.inlineSize = `${String(Math.min(width, WIDTH_MAX_PX))}px`;
      style.insetBlockStart = isUp ? "auto" : `${String(bottom + GAP_PX)}px`;
      style.insetBlockEnd = isUp ? `${String(page.clientHeight - top + GAP_PX)}px` : "auto";
      style.maxBlockSize = `${String(Math.min(HEIGHT_MAX_PX, Math.max(isUp ? above : below, 0)))}px`;
    };
    place();
    const moved = { capture: true, passive: true } as const;
    addEventListener("scroll", place, moved);
    addEventListener("resize", place);
    visualViewport?.addEventListener("resize", place);
    visualViewport?.addEventListener("scroll", place);
    return () => {
      removeEventListener("scroll", place, moved);
      removeEventListener("resize", place);
      visualViewport?.removeEventListener("resize", place);
      visualViewport?.removeEventListener("scroll", place);
    };
  }, [list, box, count]);
}
