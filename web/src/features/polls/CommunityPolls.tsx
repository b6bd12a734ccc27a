// Small questions of the people one follows, and one's own.
//
// Promise: nothing moves under the reader's eye: what is new waits for a press, what is gone leaves a line,
// what comes in above what is read leaves it where it is.

import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { useHold } from "../../store/hold";
import { POLLS_VIEW } from "../../store/polls";
import { useReread } from "../../store/reread";
import { useStore } from "../../store/store";
import { many } from "../../store/words";
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
import { CreatePoll } from "./CreatePoll";
import { PollCard } from "./PollCard";
import { readFirst, readOlderPolls, readPolls } from "./slice";
import css from "./polls.module.css";

export function CommunityPolls() {
  const { ids, items, pile, older, status, loadingOlder, stale } = useStore((s) => s.polls);
  const [creating, setCreating] = useState(false);
  const [olderFailed, setOlderFailed] = useState(false);
  const [goesUp, setGoesUp] = useState(false);
  const region = useRef<HTMLElement>(null);
  useHold(`view:${POLLS_VIEW}`);
  useHold(`people:${[...new Set(Object.values(items).map((held) => held.creator_id))].join(",")}`);
  useReread(() => void readPolls());

  // Somebody is followed now, or a poll was only heard of: reading it is what lets its tally be heard.
  const isUnheard = status === "ready" && ids.some((id) => items[id]?.heard === false && items[id].removed === false);
  useEffect(() => {
    if (stale || isUnheard) void readPolls();
  }, [stale, isUnheard]);

  const isLoading = status === "none" || status === "loading";
  const waiting = pile.length;
  useEffect(() => {
    if (waiting > 0) announce(many(waiting, "new poll"));
  }, [waiting > 0]);

  // The waiting polls stand on top, and the reader is taken there.
  useLayoutEffect(() => {
    if (!goesUp) return;
    setGoesUp(false);
    const first = region.current?.querySelector<HTMLElement>("[data-poll]");
    first?.scrollIntoView({ block: "nearest", behavior: "instant" });
    first?.focus({ preventScroll: true });
  }, [goesUp]);

  const takePile = () =>
    readFirst().then(
      () => setGoesUp(true),
      () => toast(common.notLoaded, { error: true }),
    );

  const more = async () => {
    setOlderFailed(false);
    const last = ids.at(-1);
    await readOlderPolls().catch(() => setOlderFailed(true));
    catchFocus(() => region.current?.querySelector<HTMLElement>(`[data-poll="${String(last)}"] + [data-poll]`));
  };

  return (
    <section aria-label="Community Polls" className={css.polls} ref={region} data-waits={isLoading ? "" : undefined}>
      <div className={css.head}>
        <h2>Community Polls</h2>
        <Button onClick={() => setCreating(true)}>Create Poll</Button>
      </div>
      <CreatePoll open={creating} onClose={() => setCreating(false)} />
      <div className={css.pill}>{status === "ready" && waiting > 0 && <Pill onClick={() => void takePile()}>{many(waiting, "new poll")}</Pill>}</div>
      {status === "ready" && ids.length === 0 && waiting === 0 && <p className={cx(quiet, css.quiet)}>No open polls. Ask something small.</p>}
      {isLoading && <p className={cx(quiet, css.quiet)}>{common.loading}</p>}
      {status === "failed" && <InlineError onRetry={() => void readPolls()} />}
      {status === "ready" && ids.length > 0 && (
        <KeepPlace>
          <ul role="list" aria-label="Polls" className={css.list}>
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
            Show older polls
          </Button>
        </p>
      )}
      {olderFailed && <InlineError onRetry={() => void more()} />}
    </section>
  );
}
