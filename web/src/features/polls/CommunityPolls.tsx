// The polls of the people whom the viewer follows, of the viewer's groups, and the viewer's own.
//
// Promise: nothing on screen moves. A new poll waits behind a button, a deleted one becomes one line, and the
// reading position stays when polls are inserted.

import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import { useOnScreen } from "../../engine/useOnScreen";
import { POLLS_VIEW } from "./state";
import { useRefetch } from "../../engine/useRefetch";
import { isQuiet } from "../../engine/state";
import { useStore } from "../../engine/store";
import { many, say } from "../../say";
import { Button } from "../../ui/Button";
import { InlineError } from "../../ui/InlineError";
import { KeepPlace } from "../../ui/KeepPlace";
import { Pill } from "../../ui/Pill";
import { announce } from "../../ui/announce";
import { quiet } from "../../ui/card";
import { cx } from "../../ui/cx";
import { catchFocus } from "../../ui/focus";
import { toast } from "../../ui/toast";
import { common } from "../../text";
import { Loading } from "../shared/Loading";
import { CreatePoll } from "./CreatePoll";
import { PollCard } from "./PollCard";
import { readFirst, readOlderPolls, readPolls, readTallies } from "./api";
import css from "./polls.module.css";

export function CommunityPolls() {
  const { ids, items, waiting, older, status, loadingOlder, stale } = useStore((s) => s.polls);
  const [creating, setCreating] = useState(false);
  const [olderFailed, setOlderFailed] = useState(false);
  const [goesUp, setGoesUp] = useState(false);
  const region = useRef<HTMLElement>(null);
  useOnScreen(`view:${POLLS_VIEW}`);
  useOnScreen(`people:${[...new Set(Object.values(items).map((held) => held.creator_id))].join(",")}`);
  // Only a read subscribes to a tally, so the list is read again after a follow, and for polls known only by
  // an event.
  const isUnsubscribed =
    status === "ready" && ids.some((id) => items[id]?.subscribed === false && items[id].removed === false);
  useRefetch(stale || isUnsubscribed, readPolls, () => void readTallies());

  const isLoading = status === "none" || status === "loading";
  const count = useStore(isQuiet) ? 0 : waiting.length;
  const hasWaiting = count > 0;
  const announceWaiting = useEffectEvent(() => announce(many(count, "{n} new poll", "{n} new polls")));
  useEffect(() => {
    if (hasWaiting) announceWaiting();
  }, [hasWaiting]);

  // The new polls are at the top, so the page scrolls there.
  useLayoutEffect(() => {
    if (!goesUp) return;
    setGoesUp(false);
    const first = region.current?.querySelector<HTMLElement>("[data-poll]");
    first?.scrollIntoView({ block: "nearest", behavior: "instant" });
    first?.focus({ preventScroll: true });
  }, [goesUp]);

  const showWaiting = () =>
    readFirst().then(
      () => setGoesUp(true),
      () => toast(say(common.notLoaded), { error: true }),
    );

  const more = async () => {
    setOlderFailed(false);
    const last = ids.at(-1);
    await readOlderPolls().catch(() => setOlderFailed(true));
    catchFocus(() =>
      region.current?.querySelector<HTMLElement>(`[data-poll="${String(last)}"] + [data-poll]`),
    );
  };

  return (
    <section
      aria-label={say("Community Polls")}
      className={css.polls}
      ref={region}
      aria-busy={isLoading}
      data-waits={isLoading ? "" : undefined}
    >
      <div className={css.head}>
        <h2>{say("Community Polls")}</h2>
        <Button onClick={() => setCreating(true)}>{say("Create Poll")}</Button>
      </div>
      <CreatePoll open={creating} onClose={() => setCreating(false)} />
      <div className={css.pill}>
        {status === "ready" && count > 0 && (
          <Pill onClick={() => void showWaiting()}>{many(count, "{n} new poll", "{n} new polls")}</Pill>
        )}
      </div>
      {status === "ready" && ids.length === 0 && count === 0 && (
        <p className={cx(quiet, css.quiet)}>{say("No open polls. Ask something small.")}</p>
      )}
      {isLoading && <Loading className={css.quiet}>{say(common.loading)}</Loading>}
      {status === "failed" && <InlineError onRetry={() => void readPolls()} />}
      {status === "ready" && ids.length > 0 && (
        <KeepPlace>
          <ul role="list" aria-label={say("Polls")} className={css.list}>
            {ids.map((id) => (
              <li key={id} data-poll={id} data-place tabIndex={-1} data-quiet>
                <PollCard pollId={id} />
              </li>
            ))}
          </ul>
        </KeepPlace>
      )}
      {status === "ready" && older !== null && (
        <p className={cx(quiet, css.quiet)}>
          <Button variant="quiet" busy={loadingOlder} onClick={() => void more()}>
            {say("Show older polls")}
          </Button>
        </p>
      )}
      {olderFailed && <InlineError onRetry={() => void more()} />}
    </section>
  );
}
