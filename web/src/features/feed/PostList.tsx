// A list of posts with the button for new posts, older pages and an end. The caller renders the cards.
//
// Promise: nothing moves while somebody reads. New posts wait behind the button, which takes no space. A
// press on it shows the newest post and focuses it, and scrolls the page if the post is not visible.

import { memo, startTransition, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { ReactNode } from "react";
import { ListEnd, ListStatus } from "../../ui/ListStatus";
import { Button } from "../../ui/Button";
import { InlineError } from "../../ui/InlineError";
import { NearItem } from "../../ui/Near";
import { Pill } from "../../ui/Pill";
import { announce } from "../../ui/announce";
import { catchFocus } from "../../ui/focus";
import { now } from "../../ui/now";
import { dayInside } from "../../ui/relative";
import { isReturning } from "../../ui/returning";
import { useOnScreen } from "../../engine/useOnScreen";
import { openList, readFirst, readOlder, showWaiting } from "../shared/posts/lists";
import { RefusedError } from "../../engine/session";
import type { Id } from "../../engine/state";
import { isQuiet } from "../../engine/state";
import type { ListView } from "../shared/posts/types";
import { store, useStore } from "../../engine/store";
import { common } from "../../text";
import { Loading } from "../shared/Loading";
import { toast } from "../../ui/toast";
import { many, say, useLanguage } from "../../say";
import styles from "./feed.module.css";

/** Says that a press on the button above the list failed. The button stays, so it can be pressed again. */
function failedToLoad(error: unknown): void {
  if (!(error instanceof RefusedError && error.code === "abandoned"))
    toast(say(common.notLoaded), { error: true });
}

const ANNOUNCE_MS = 60_000;
let announcedAt = 0;

export type PostListProps = {
  /** The name of the view: `feed:`, `feed:tag`, `author:7`, `group:7`, `saved:` or `found:words`. */
  name: string;
  card(postId: Id): ReactNode;
  /** Shown in place of an empty list. */
  empty(view: ListView): ReactNode;
  /** The posts are read already, but not shown yet. */
  waits?: boolean;
  /**
   * Whether its end says since when this is everything: of a list that has all posts, newest first. In quiet hours it
   * does not, because new posts are not sent.
   */
  hasEnd?: boolean;
};

export function PostList({ name, card, empty, waits = false, hasEnd = true }: PostListProps) {
  const view = useStore((s) => s.views[name]);
  const me = useStore((s) => s.session.me?.id);
  const [olderFailed, setOlderFailed] = useState(false);
  const [goTo, setGoTo] = useState<Id | null>(null);
  const list = useRef<HTMLUListElement>(null);
  useOnScreen(`view:${name}`);
  const isThere = !waits && view?.status === "ready" && view.ids.length > 0;
  const count = useCount(isThere ? view.ids : undefined);

  useEffect(() => {
    // The list itself shows the failure, and a held list stays as it was.
    if (me !== undefined) openList(name).catch(() => undefined);
  }, [name, me]);

  const quiet = useStore(isQuiet);
  const newCount = quiet ? 0 : (view?.waiting.length ?? 0);
  useEffect(() => {
    if (newCount === 0 || Date.now() - announcedAt < ANNOUNCE_MS) return;
    announcedAt = Date.now();
    announce(many(newCount, "{n} new post", "{n} new posts"));
  }, [newCount]);

  useLayoutEffect(() => {
    if (goTo === null) return;
    const item = list.current?.querySelector<HTMLElement>(`[data-item="${goTo}"]`);
    if (item instanceof HTMLElement && !beginsInSight(item))
      item.scrollIntoView({ block: "start", behavior: "instant" });
    item?.focus({ preventScroll: true });
    setGoTo(null);
  }, [goTo]);

  if (waits) return null;
  if (view === undefined || view.status === "loading") return <Loading still>{say("Loading posts")}</Loading>;
  if (view.status === "failed")
    // After another failure the list shows it again.
    return <InlineError onRetry={() => void readFirst(name).catch(() => undefined)} />;

  const isWhole = count >= view.ids.length;
  const shown = view.ids.slice(0, count);
  const older = async () => {
    setOlderFailed(false);
    const last = view.ids.at(-1);
    await readOlder(name).catch(() => setOlderFailed(true));
    // The button was disabled or removed meanwhile, so the focus moves to the first new post.
    catchFocus(() => list.current?.querySelector<HTMLElement>(`[data-item="${last}"] + [data-item]`));
  };

  return (
    <div className={styles.room}>
      <div className={styles.pillSpot} data-new-posts>
        {newCount > 0 && (
          <Pill onClick={() => void showWaiting(name).then(setGoTo, failedToLoad)}>
            {many(newCount, "{n} new post", "{n} new posts")}
          </Pill>
        )}
      </div>
      <div className={styles.lane}>
        {view.topCut !== null && (
          <ListStatus>
            <Button variant="quiet" onClick={() => void readFirst(name).catch(failedToLoad)}>
              {say("Show newest posts")}
            </Button>
          </ListStatus>
        )}
        {view.ids.length === 0 ? (
          empty(view)
        ) : (
          <ul role="list" className={styles.list} aria-label={say("Posts")} aria-busy={!isWhole} ref={list}>
            {shown.map((id, at) => (
              <Item key={id} id={id} isFirst={at < FIRST_COUNT} card={card} />
            ))}
          </ul>
        )}
        {isWhole && view.older !== null && (
          <ListStatus>
            <Button variant="quiet" busy={view.loadingOlder} onClick={() => void older()}>
              {say("Show older posts")}
            </Button>
          </ListStatus>
        )}
        {olderFailed && <InlineError onRetry={() => void older()} />}
        {hasEnd && !quiet && isWhole && view.older === null && view.ids.length > 0 && (
          <CaughtUp last={view.ids.at(-1) ?? 0} />
        )}
      </div>
    </div>
  );
}

/** Returns whether an item begins below the header and in the upper half of the window. */
function beginsInSight(item: HTMLElement): boolean {
  const { top } = item.getBoundingClientRect();
  return (
    top >= parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) && top < innerHeight / 2
  );
}

/** The posts of lists that were left. */
const left = new Set<Id>();
const LEFT_MAX = 2_000;

/** How many posts at the top are rendered one by one, and how many at once below them. */
const FIRST_COUNT = 6;
const NEXT_COUNT = 6;

/**
 * Returns how many posts to render: first one, then one more after each frame up to FIRST_COUNT, and then
 * NEXT_COUNT more after each frame. So the first post appears as early as possible, and the work is divided
 * into short tasks. All are rendered at once if some of them were rendered before, if the reader returns to a
 * position far down, and in a hidden tab, which has no frames.
 */
function useCount(ids: readonly Id[] | undefined): number {
  const [count, setCount] = useState(1);
  const isKnown = ids?.some((id) => left.has(id)) === true;
  const total = ids?.length ?? 0;
  const isThere = total > 0;
  useEffect(() => {
    if (!isThere || count === Infinity) return;
    const isAtOnce = isKnown || isReturning() || document.hidden;
    const next = count + (count < FIRST_COUNT ? 1 : NEXT_COUNT);
    const more = () => startTransition(() => setCount(isAtOnce || next >= total ? Infinity : next));
    if (isAtOnce) return more();
    const frame = requestAnimationFrame(more);
    return () => cancelAnimationFrame(frame);
  }, [isThere, isKnown, count, total]);
  return isKnown ? Infinity : count;
}

type ItemProps = { id: Id; isFirst: boolean; card(postId: Id): ReactNode };

/**
 * The first posts, those that were rendered before, and those with an unsent comment have their comment boxes at
 * once, because a box with text is higher than its place. So do all when a reader returns to a position in the list, so that the page
 * is as long as it was. Every post has a layout, also off screen: a post that got its height only when it
 * came near would move what the reader is about to press. Memoized, because the list is rendered again for
 * each new post.
 */
const Item = memo(function Item({ id, isFirst, card }: ItemProps) {
  useLanguage();
  const [hasBox] = useState(
    isFirst || left.has(id) || isReturning() || (store.getState().drafts[id] ?? "") !== "",
  );
  useEffect(
    () => () => {
      if (left.size > LEFT_MAX) left.clear();
      left.add(id);
    },
    [id],
  );
  return (
    <NearItem always={hasBox} className={styles.item} data-item={id} tabIndex={-1}>
      {card(id)}
    </NearItem>
  );
});

function CaughtUp({ last }: { last: Id }) {
  const since = useStore((s) => s.posts[last]?.created_at_ms);
  const day = since === undefined ? null : dayInside(since, now());
  return (
    <ListEnd>
      <span>{say("You're all caught up.")}</span>
      {day !== null && <span>{` ${say("That's everything since {day}.", { day })}`}</span>}
    </ListEnd>
  );
}
