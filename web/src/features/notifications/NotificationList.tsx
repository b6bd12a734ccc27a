// What others did that concerns the viewer, newest first, with an end.
//
// Promise: what comes while somebody reads is put in at the top and what is read stays in its place; what
// goes takes the focus to its neighbour, never to the page's top.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { Button } from "../../ui/Button";
import { EmptyState } from "../../ui/EmptyState";
import { InlineError } from "../../ui/InlineError";
import { KeepPlace } from "../../ui/KeepPlace";
import { catchFocus } from "../../ui/focus";
import { useHold } from "../../store/hold";
import { NOTICES_VIEW, hasDot } from "../../store/notifications";
import type { Id } from "../../store/state";
import { useStore } from "../../store/store";
import { RefusedError } from "../../wire/ask";
import { NotificationItem } from "./NotificationItem";
import { look, readAgain, readNotices, seen } from "./look";
import { deleteNotice, readOlderNotices } from "./slice";
import styles from "./notifications.module.css";

const TOUCHES = ["pointerdown", "keydown", "wheel", "touchmove"] as const;

export function NotificationList() {
  const { items, deletes, status, older, loadingOlder, fresh, stale } = useStore((s) => s.notices);
  const [olderFailed, setOlderFailed] = useState(false);
  const [refused, setRefused] = useState<Record<Id, string>>({});
  const root = useRef<HTMLDivElement>(null);
  const shown = useMemo(() => items.filter((one) => !deletes.includes(one.id)), [items, deletes]);
  useHold(`view:${NOTICES_VIEW}`);
  useEffect(look, []);
  useSeenHere(root);
  const onFocus = useNeighbour(root, shown.map((one) => one.id));

  const isDoubtful = status === "ready" && stale;
  useEffect(() => {
    if (isDoubtful) void readAgain();
  }, [isDoubtful]);

  // When all that was listed has gone, what lies behind it is what there is.
  const before = status === "ready" && shown.length === 0 ? older : null;
  useEffect(() => {
    if (before !== null) readOlderNotices().catch(() => setOlderFailed(true));
  }, [before]);

  if (status === "failed") return <InlineError onRetry={() => void readNotices()} />;
  if (status !== "ready") return <p className={styles.status}>Loading notifications</p>;

  const remove = async (id: Id) => {
    setRefused(({ [id]: _before, ...others }) => others);
    try {
      await deleteNotice(id);
    } catch (error) {
      setRefused((others) => ({ ...others, [id]: reasonOf(error) }));
    }
  };

  const readOn = async () => {
    setOlderFailed(false);
    const last = shown.at(-1)?.id;
    await readOlderNotices().catch(() => setOlderFailed(true));
    // The button was disabled meanwhile or is gone: on to the first of what came.
    catchFocus(() => root.current?.querySelector<HTMLElement>(`[data-place="${last}"] + [data-place] a`));
  };

  return (
    <div ref={root} onFocus={onFocus}>
      <KeepPlace className={styles.room}>
        {shown.length > 0 && (
          <ul role="list" className={styles.list} aria-label="Notifications">
            {shown.map((one) => (
              <NotificationItem key={one.id} notice={one} isNew={fresh[one.id] === true} refused={refused[one.id]} onDelete={() => void remove(one.id)} />
            ))}
          </ul>
        )}
        {older !== null && (
          <p className={styles.status}>
            <Button variant="quiet" busy={loadingOlder} onClick={() => void readOn()}>
              Show older
            </Button>
          </p>
        )}
        {olderFailed && <InlineError onRetry={() => void readOn()} />}
        {older === null &&
          (shown.length > 0 ? (
            <p className={styles.end}>You're all caught up.</p>
          ) : (
            <div tabIndex={-1} data-quiet data-empty>
              <EmptyState title="All quiet.">Replies, comments and new followers will show up here.</EmptyState>
            </div>
          ))}
      </KeepPlace>
    </div>
  );
}

function reasonOf(error: unknown): string {
  if (error instanceof RefusedError && error.code === "slow_down") return error.message;
  return "Couldn't delete this. Please try again.";
}

/** What comes while the page is open is seen once somebody does anything at all with it in view. */
function useSeenHere(root: React.RefObject<HTMLElement | null>): void {
  const isNew = useStore(hasDot);
  useEffect(() => {
    if (!isNew) return;
    const touched = () => {
      const box = root.current?.querySelector("[data-place]")?.getBoundingClientRect();
      if (box !== undefined && box.bottom > 0 && box.top < innerHeight) seen();
    };
    for (const kind of TOUCHES) addEventListener(kind, touched, { passive: true });
    return () => {
      for (const kind of TOUCHES) removeEventListener(kind, touched);
    };
  }, [isNew, root]);
}

/** When the item that holds the focus goes, the one that takes its place gets it. */
function useNeighbour(root: React.RefObject<HTMLElement | null>, ids: Id[]): (event: React.FocusEvent) => void {
  const focused = useRef<{ id: Id; at: number } | null>(null);
  const key = ids.join();
  useLayoutEffect(() => {
    const held = focused.current;
    if (held === null) return;
    const at = ids.indexOf(held.id);
    if (at >= 0) {
      held.at = at;
      return;
    }
    focused.current = null;
    const next = ids[Math.min(held.at, ids.length - 1)];
    catchFocus(() => root.current?.querySelector<HTMLElement>(next === undefined ? "[data-empty], button" : `[data-place="${next}"] button`));
  }, [key, root]);
  return ({ target }) => {
    const id = Number(target.closest("[data-place]")?.getAttribute("data-place"));
    focused.current = id > 0 ? { id, at: ids.indexOf(id) } : null;
  };
}
