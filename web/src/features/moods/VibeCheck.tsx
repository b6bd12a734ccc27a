// The moods of the people whom the viewer follows, and the viewer's own mood, which can be set twice a day by
// the viewer's own clock.
//
// Promises: a mood disappears at its owner's midnight without a reload. Nothing moves under the pointer or
// the focus.

import type { FocusEvent } from "react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { Link } from "wouter";
import { useOnScreen } from "../../engine/useOnScreen";
import { dropExpired, nextExpiry } from "./read";
import type { HeldMood } from "./state";
import { MOODS_VIEW } from "./state";
import { useRefetch } from "../../engine/useRefetch";
import type { Id } from "../../engine/state";
import { update, useStore } from "../../engine/store";
import { say } from "../../say";
import { shorten } from "../shared/text";
import { Avatar } from "../../ui/Avatar";
import { Button } from "../../ui/Button";
import { InlineError } from "../../ui/InlineError";
import { card, quiet } from "../../ui/card";
import { cx } from "../../ui/cx";
import { useDue } from "../../ui/due";
import { catchFocus } from "../../ui/focus";
import { now } from "../../ui/now";
import { MoodPicker } from "./MoodPicker";
import { nextSlot, readMoods } from "./api";
import { alreadySet, emojiOf, sayMood } from "./words";
import css from "./moods.module.css";

const NAME_MAX = 20;

export function VibeCheck() {
  const { mine, status, stale } = useStore((s) => s.moods);
  useOnScreen(`view:${MOODS_VIEW}`);
  useRefetch(stale, readMoods);

  const asking = useRef<() => void>(() => undefined);
  useEffect(() => () => asking.current(), []);
  useDue(mine?.slot_ends_at_ms ?? null, () => {
    asking.current();
    asking.current = nextSlot();
  });

  return (
    <section aria-label={say("Vibe Check")} className={cx(card, css.card)}>
      <h2 className={css.title}>{say("Vibe Check")}</h2>
      <div className={css.both} data-sideways>
        {mine !== null && <Own day={mine} />}
        {status === "failed" ? (
          <InlineError onRetry={() => void readMoods()} />
        ) : (
          <People isKnown={status === "ready"} />
        )}
      </div>
    </section>
  );
}

type Day = NonNullable<ReturnType<typeof useDay>>;
const useDay = () => useStore((s) => s.moods.mine);

/** The viewer's own mood: the button to set it, the grid, or what was set. */
function Own({ day }: { day: Day }) {
  // A mood that is still being sent is shown again when the user returns to this page.
  const [picking, setPicking] = useState(useStore((s) => s.moods.sending) !== null);
  const box = useRef<HTMLDivElement>(null);
  const alreadySetText = alreadySet(day);

  // The mood was shared here or on another device, so the grid closes.
  useEffect(() => {
    if (alreadySetText === null || !picking) return;
    setPicking(false);
    catchFocus(() => box.current?.querySelector<HTMLElement>("p"));
  }, [alreadySetText, picking]);

  const leave = () => {
    setPicking(false);
    catchFocus(() => box.current?.querySelector<HTMLElement>("button"));
  };

  return (
    <div className={css.own} ref={box}>
      {alreadySetText !== null ? (
        <p tabIndex={-1} data-quiet>
          {alreadySetText}
        </p>
      ) : picking ? (
        <MoodPicker slot={day.slot} onLeave={leave} />
      ) : (
        <Button variant="quiet" onClick={() => setPicking(true)}>
          {day.slot === "morning" ? say("Set Morning Vibe") : say("Set Evening Vibe")}
        </Button>
      )}
    </div>
  );
}

function People({ isKnown }: { isKnown: boolean }) {
  const list = useStore((s) => s.moods.list);
  useDue(useStore(nextExpiry), () => update((s) => dropExpired(s, now())));
  useOnScreen(`people:${list.map((mood) => mood.user_id).join(",")}`);
  const { shown, handlers } = useStill(list);
  if (!isKnown) return <div className={css.row} />;
  if (shown.length === 0)
    return <p className={cx(quiet, css.none)}>{say("Nobody has shared a mood today.")}</p>;
  return (
    <ul role="list" aria-label={say("Moods today")} className={css.row} {...handlers}>
      {shown.map((mood) => (
        <Person key={mood.user_id} mood={mood} />
      ))}
    </ul>
  );
}

/** Keeps the order of the list while the pointer or the focus is in it. New people are added at the end. */
function useStill(list: readonly HeldMood[]) {
  const [places, setPlaces] = useState<Id[] | null>(null);
  const over = useRef({ hand: false, focus: false });
  const settle = (changes: Partial<typeof over.current>) => {
    Object.assign(over.current, changes);
    const isHeld = over.current.hand || over.current.focus;
    setPlaces((held) => (isHeld ? (held ?? list.map((mood) => mood.user_id)) : null));
  };
  // An empty list gets no pointer and blur events, so it is released here.
  const isEmpty = list.length === 0;
  const release = useEffectEvent(() => settle({ hand: false, focus: false }));
  useEffect(() => {
    if (isEmpty) release();
  }, [isEmpty]);
  const placeOf = ({ user_id }: HeldMood) => {
    const at = places?.indexOf(user_id) ?? 0;
    return at < 0 ? Number.MAX_SAFE_INTEGER : at;
  };
  return {
    shown: places === null ? list : [...list].sort((a, b) => placeOf(a) - placeOf(b)),
    handlers: {
      onPointerEnter: () => settle({ hand: true }),
      onPointerLeave: () => settle({ hand: false }),
      onFocus: () => settle({ focus: true }),
      onBlur: ({ currentTarget, relatedTarget }: FocusEvent) => {
        if (!currentTarget.contains(relatedTarget)) settle({ focus: false });
      },
    },
  };
}

function Person({ mood: { user_id, morning, evening } }: { mood: HeldMood }) {
  const name = useStore((s) => s.users[user_id]?.name ?? "");
  const photo = useStore((s) => s.users[user_id]?.photo_url);
  const word = evening ?? morning ?? "";
  return (
    <li className={css.person}>
      <span aria-hidden="true" className={css.face}>
        <Avatar id={user_id} name={name} photo={photo} size={36} />
        <span className={css.badge}>{emojiOf(word)}</span>
      </span>
      <Link href={`/profile/${String(user_id)}`} className={css.name}>
        <bdi>{shorten(name, NAME_MAX)}</bdi>
      </Link>
      <span className={css.mood}>
        <span>{sayMood(word)}</span>
        {evening !== null && morning !== null && (
          <small>{say("{mood} this morning", { mood: sayMood(morning) })}</small>
        )}
      </span>
    </li>
  );
}
