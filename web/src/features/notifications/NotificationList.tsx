// The notifications of the viewer, newest first, grouped by day, with an end. Comments on one post stand
// together (stacks.ts).
//
// Promise: a notification that arrives is added at the top, and the reading position stays. If a notification
// with the focus is deleted, the focus moves to its neighbour, never to the top of the page.

import {
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { ListEnd, ListStatus } from "../../ui/ListStatus";
import { Button } from "../../ui/Button";
import { EmptyState } from "../../ui/EmptyState";
import { InlineError } from "../../ui/InlineError";
import { KeepPlace } from "../../ui/KeepPlace";
import { catchFocus } from "../../ui/focus";
import { theMinute, watchMinute } from "../../ui/minute";
import { now } from "../../ui/now";
import { dayWords } from "../../ui/relative";
import { useOnScreen } from "../../engine/useOnScreen";
import { inStacks } from "./stacks";
import { NOTIFICATIONS_VIEW, hasDot } from "./state";
import type { Id } from "../../engine/state";
import { isQuiet } from "../../engine/state";
import { store, useStore } from "../../engine/store";
import { say } from "../../say";
import { Loading } from "../shared/Loading";
import { RefusedError } from "../../engine/ask";
import { NotificationItem } from "./NotificationItem";
import { openNotifications, readAgain, readNotifications, markSeen } from "./markSeen";
import { deleteNotification, readOlderNotifications } from "./api";
import styles from "./notifications.module.css";

const TOUCHES = ["pointerdown", "keydown", "wheel", "touchmove"] as const;

export function NotificationList() {
  const { items, deletes, status, older, loadingOlder, fresh, stale, listed } = useStore(
    (s) => s.notifications,
  );
  const [olderFailed, setOlderFailed] = useState(false);
  const [refused, setRefused] = useState<Record<Id, string>>({});
  const root = useRef<HTMLDivElement>(null);
  const stacks = useMemo(
    () =>
      inStacks(
        items.filter((one) => !deletes.includes(one.id)),
        listed,
      ),
    [items, deletes, listed],
  );
  const shown = stacks.flat();
  const today = useSyncExternalStore(watchMinute, theMinute);
  const days = stacks.map((stack) => dayWords(stack[0]?.created_at_ms ?? 0, Math.max(today, now())));
  useOnScreen(`view:${NOTIFICATIONS_VIEW}`);
  useEffect(() => {
    const state = store.getState();
    // In quiet hours no event adds to a held list.
    if (isQuiet(state) && state.notifications.status === "ready") void readAgain();
    openNotifications();
  }, []);
  useSeenHere(root);
  const onFocus = useNeighbour(
    root,
    shown.map((one) => one.id),
  );

  const isDoubtful = status === "ready" && stale;
  useEffect(() => {
    if (isDoubtful) void readAgain();
  }, [isDoubtful]);

  // If all listed notifications were deleted, the next page is read by itself.
  const before = status === "ready" && shown.length === 0 ? older : null;
  useEffect(() => {
    if (before !== null) readOlderNotifications().catch(() => setOlderFailed(true));
  }, [before]);

  if (status === "failed") return <InlineError onRetry={() => void readNotifications()} />;
  if (status !== "ready") return <Loading>{say("Loading notifications")}</Loading>;

  const remove = async (id: Id) => {
    setRefused(({ [id]: _before, ...others }) => others);
    try {
      await deleteNotification(id);
    } catch (error) {
      setRefused((others) => ({ ...others, [id]: reasonOf(error) }));
    }
  };

  const readOn = async () => {
    setOlderFailed(false);
    const last = shown.at(-1)?.id;
    await readOlderNotifications().catch(() => setOlderFailed(true));
    // The button was disabled or removed meanwhile, so the focus moves to the first new item.
    // If all new items joined others further up, it stays at the item that was the last.
    catchFocus(() =>
      [`li:has(> [data-place="${last}"]) + li a`, `[data-place="${last}"] a`]
        .map((where) => root.current?.querySelector<HTMLElement>(where))
        .find((found) => found),
    );
  };

  return (
    <div ref={root} onFocus={onFocus}>
      <KeepPlace className={styles.room}>
        {shown.length > 0 && (
          <ul role="list" className={styles.list} aria-label={say("Notifications")}>
            {stacks.flatMap((stack, at) =>
              stack.map((one, place) => (
                <NotificationItem
                  key={one.id}
                  notice={one}
                  day={place === 0 && days[at] !== days[at - 1] ? (days[at] ?? null) : null}
                  isJoined={place > 0}
                  isNew={fresh[one.id] === true}
                  refused={refused[one.id]}
                  onDelete={() => void remove(one.id)}
                />
              )),
            )}
          </ul>
        )}
        {older !== null && (
          <ListStatus>
            <Button variant="quiet" busy={loadingOlder} onClick={() => void readOn()}>
              {say("Show older")}
            </Button>
          </ListStatus>
        )}
        {olderFailed && <InlineError onRetry={() => void readOn()} />}
        {older === null &&
          (shown.length > 0 ? (
            <ListEnd>{say("You're all caught up.")}</ListEnd>
          ) : (
            <div tabIndex={-1} data-quiet data-empty>
              <EmptyState title={say("All quiet.")}>
                {say("Replies, comments and new followers will show up here.")}
              </EmptyState>
            </div>
          ))}
      </KeepPlace>
    </div>
  );
}

function reasonOf(error: unknown): string {
  if (error instanceof RefusedError && error.code === "slow_down") return error.message;
  return say("Couldn't delete this. Please try again.");
}

/**
 * A notification that arrives while the page is open counts as seen after any activity while it is visible.
 */
function useSeenHere(root: React.RefObject<HTMLElement | null>): void {
  const isNew = useStore(hasDot);
  useEffect(() => {
    if (!isNew) return;
    const touched = () => {
      const box = root.current?.querySelector("[data-place]")?.getBoundingClientRect();
      if (box !== undefined && box.bottom > 0 && box.top < innerHeight) markSeen();
    };
    for (const kind of TOUCHES) addEventListener(kind, touched, { passive: true });
    return () => {
      for (const kind of TOUCHES) removeEventListener(kind, touched);
    };
  }, [isNew, root]);
}

/** If the focused item is removed, the item that takes its place gets the focus. */
function useNeighbour(
  root: React.RefObject<HTMLElement | null>,
  ids: Id[],
): (event: React.FocusEvent) => void {
  const focused = useRef<{ id: Id; at: number } | null>(null);
  const key = ids.join();
  const moveFocus = useEffectEvent(() => {
    const held = focused.current;
    if (held === null) return;
    const at = ids.indexOf(held.id);
    if (at >= 0) {
      held.at = at;
      return;
    }
    focused.current = null;
    const next = ids[Math.min(held.at, ids.length - 1)];
    catchFocus(() =>
      root.current?.querySelector<HTMLElement>(
        next === undefined ? "[data-empty], button" : `[data-place="${next}"] button`,
      ),
    );
  });
  useLayoutEffect(() => moveFocus(), [key]);
  return ({ target }) => {
    const id = Number(target.closest("[data-place]")?.getAttribute("data-place"));
    focused.current = id > 0 ? { id, at: ids.indexOf(id) } : null;
  };
}
