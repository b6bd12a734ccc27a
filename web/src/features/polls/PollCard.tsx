// One poll: the options to vote for, or, after the vote, the share of each option.
//
// Promise: a vote stays. A poll that is closed or deleted while it is on screen says so in its place.

import { Check } from "lucide-react";
import {
  useEffect,
  useEffectEvent,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { Link } from "wouter";
import { closePoll } from "./read";
import type { PollEntry } from "./state";
import { OthersMenu } from "../shared/people/OthersMenu";
import { groupOf, sharedText } from "../shared/groups/audience";
import { groupNameOf } from "../shared/groups/groups";
import type { Id } from "../../engine/state";
import { update, useStore } from "../../engine/store";
import { many, say } from "../../say";
import { DeleteButton } from "../shared/DeleteButton";
import { announceOthers } from "../shared/quiet";
import { SendingNote } from "../shared/sending";
import { Avatar } from "../../ui/Avatar";
import { Hidden } from "../../ui/Hidden";
import { Say } from "../../ui/Say";
import { card, quiet } from "../../ui/card";
import { cx } from "../../ui/cx";
import { useDue } from "../../ui/due";
import type { FocusInside } from "../../ui/focus";
import { catchFocus, useFocusInside } from "../../ui/focus";
import { theMinute, watchMinute } from "../../ui/minute";
import { now } from "../../ui/now";
import { shortMoment } from "../../ui/relative";
import { refusalText } from "../../engine/refusalText";
import { Note } from "../../ui/Note";
import { Voters } from "./Voters";
import { deletePoll, vote } from "./api";
import { countdown, percentages } from "./words";
import css from "./polls.module.css";

export function PollCard({ pollId }: { pollId: Id }) {
  const held = useStore((s) => s.polls.items[pollId]);
  const own = useStore((s) => s.session.me?.id === held?.creator_id);
  const focus = useFocusInside();
  if (held === undefined) return null;
  if (held.removed) return <Removed focus={focus} isTold={own} />;
  return <Article held={held} own={own} focus={focus} />;
}

/** The line of a deleted poll. `isTold`: the viewer deleted it and has seen a toast. */
function Removed({ focus, isTold }: { focus: FocusInside; isTold: boolean }) {
  const line = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (!focus.inside.current) return;
    line.current?.focus({ preventScroll: true });
    if (!isTold) announceOthers(say("This poll was removed"));
  }, [focus, isTold]);
  return (
    <p className={cx(quiet, css.removed)} tabIndex={-1} ref={line}>
      {say("Removed")}
    </p>
  );
}

function Article({ held, own, focus }: { held: PollEntry; own: boolean; focus: FocusInside }) {
  const { id, creator_id, question, closes_at_ms, closed, tally } = held;
  const name = useStore((s) => s.users[creator_id]?.name ?? "");
  const photo = useStore((s) => s.users[creator_id]?.photo_url);
  const group = useStore((s) => groupNameOf(s, groupOf(held.audience) ?? 0));
  const shared = sharedText(held.audience, group);
  const state = useRef<HTMLSpanElement>(null);
  useDue(closed ? null : closes_at_ms, () => update((s) => closePoll(s, id)));

  // The options can no longer be pressed, so the focus moves.
  useLayoutEffect(() => {
    if (closed && focus.inside.current) catchFocus(() => state.current);
  }, [closed, focus]);

  const total = tally?.reduce((sum, votes) => sum + votes, 0) ?? null;
  return (
    <article aria-label={question} className={card} onFocus={focus.onFocus} onBlur={focus.onBlur}>
      <div className={css.by}>
        <Link href={`/profile/${String(creator_id)}`} className={css.author}>
          <span aria-hidden="true">
            <Avatar id={creator_id} name={name} photo={photo} size={32} />
          </span>
          <bdi>{name}</bdi>
        </Link>
        <OthersMenu kind="poll" id={id} userId={creator_id} />
        {own && (
          <DeleteButton
            variant="plain"
            small
            title={say("Delete Poll")}
            done={say("Poll deleted successfully")}
            failed={say("Error deleting poll. Please try again.")}
            onDelete={() => deletePoll(id)}
          >
            {say("This poll and its votes will be gone for everyone. This cannot be undone.")}
          </DeleteButton>
        )}
      </div>
      <h3 dir="auto">{question}</h3>
      <Options held={held} />
      <div className={cx(quiet, css.foot)}>
        <span ref={state} tabIndex={-1} data-quiet>
          {closed ? <span>{say("This poll has closed.")}</span> : <Countdown ms={closes_at_ms} />}
        </span>
        {total !== null && <span>{many(total, "{n} vote", "{n} votes")}</span>}
        {shared !== null && (
          <span>
            <Say text={shared} group={<bdi>{group}</bdi>} />
          </span>
        )}
      </div>
    </article>
  );
}

function Countdown({ ms }: { ms: number }) {
  const ticked = useSyncExternalStore(watchMinute, theMinute);
  return <span title={shortMoment(ms)}>{countdown(ms, Math.max(ticked, now()))}</span>;
}

function Options({ held }: { held: PollEntry }) {
  const { id, question, options, choice, tally, closed } = held;
  const chosen = useStore((s) => s.polls.casting[id] ?? null);
  const [failed, setFailed] = useState<string | null>(null);
  const [looked, setLooked] = useState<number | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const noteId = useId();
  const hasVoted = choice !== null && tally !== null;
  const mayVote = !hasVoted && !closed;
  const shares = hasVoted ? percentages(tally) : [];

  const press = async (at: number) => {
    if (hasVoted) {
      setLooked(at);
      return;
    }
    setFailed(null);
    await vote(id, at).catch((error: unknown) =>
      setFailed(refusalText(error, say("That didn't go through. Please try again."))),
    );
  };

  // A disabled button has lost the focus.
  const focusOption = useEffectEvent((at: number) =>
    catchFocus(() => box.current?.querySelector<HTMLElement>(`[data-option="${String(at)}"]`)),
  );
  useEffect(() => {
    if (chosen === null) return;
    return () => focusOption(chosen);
  }, [chosen]);

  return (
    // A listener learns who sees a vote before the first option: on the way through the card, and on the way by the Tab
    // key. For the eye the note is below the options, so that they stay where they are when it goes.
    <div
      role="group"
      aria-label={question}
      aria-describedby={mayVote ? noteId : undefined}
      className={css.options}
      ref={box}
    >
      {mayVote && (
        <p id={noteId} className={cx(quiet, css.note)}>
          {say("People who vote can see each other's choices.")}
        </p>
      )}
      {options.map((text, at) => {
        const share = shares[at] ?? 0;
        const label = !hasVoted
          ? undefined
          : at === choice
            ? say("{option}, {share}%, your choice", { option: text, share })
            : say("{option}, {share}%", { option: text, share });
        const inside = (
          <>
            {hasVoted && <span className={css.share} style={{ inlineSize: `${String(share)}%` }} />}
            <span className={css.text} dir="auto">
              {/* The space separates the words for screen readers. */}
              {hasVoted ? `${text} ` : text}
            </span>
            {at === choice && <Check size={18} strokeWidth={2.5} aria-hidden="true" />}
            {hasVoted && <span className={css.percent}>{say("{share}%", { share })}</span>}
          </>
        );
        // After the vote or the end an option is a line of the result, not a button.
        if (closed)
          return (
            <p key={text} className={css.option}>
              {inside}
              {hasVoted && at === choice && <Hidden>{say("your choice")}</Hidden>}
            </p>
          );
        return (
          <button
            key={text}
            type="button"
            className={cx(css.option, at === choice && css.mine)}
            data-option={at}
            aria-label={label}
            // After the vote a press opens the list of voters.
            aria-haspopup={hasVoted ? "dialog" : undefined}
            disabled={chosen !== null}
            onClick={() => void press(at)}
          >
            {inside}
          </button>
        );
      })}
      <SendingNote busy={chosen !== null} />
      <Note text={failed} className={cx(quiet, css.note)} />
      {hasVoted && looked !== null && (
        <Voters
          pollId={id}
          option={looked}
          text={options[looked] ?? ""}
          votes={tally[looked] ?? 0}
          onClose={() => setLooked(null)}
        />
      )}
    </div>
  );
}
