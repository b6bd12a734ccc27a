// The grid of moods. The user picks a mood and then shares it.
//
// Promise: the picked mood stays picked if the slot changes or the connection is lost meanwhile.

import type { KeyboardEvent } from "react";
import { useEffect, useId, useRef, useState } from "react";
import { useStore } from "../../engine/store";
import { RefusedError } from "../../engine/ask";
import type { Slot } from "../../engine/types.gen";
import { isRtl, say } from "../../say";
import { SendingNote } from "../shared/sending";
import { Button } from "../../ui/Button";
import { quiet } from "../../ui/card";
import { catchFocus } from "../../ui/focus";
import { Note } from "../../ui/Note";
import { Wish, readMoods } from "./api";
import { MOODS } from "./words";
import css from "./moods.module.css";

const ROW = 5;

/** `slot` is the current slot. It may have changed since the grid was opened. */
export function MoodPicker({ slot, onLeave }: { slot: Slot; onLeave(): void }) {
  const sent = useStore((s) => s.moods.sending);
  const sending = sent !== null;
  const [picked, setPicked] = useState(() =>
    sent === null ? null : MOODS.findIndex(({ word }) => word === sent),
  );
  const [asked, setAsked] = useState(slot);
  const [error, setError] = useState<string | null>(null);
  const [wish] = useState(() => new Wish());
  const grid = useRef<HTMLDivElement>(null);
  const id = useId();

  const radios = () => [...(grid.current?.querySelectorAll<HTMLInputElement>("input") ?? [])];
  // The grid replaces the button that opened it, so the first mood gets the focus.
  useEffect(() => catchFocus(() => radios()[0]), []);

  // If the slot changes while the grid is open, the mood stays picked, and the grid asks about the new slot.
  useEffect(() => {
    if (slot === asked) return;
    setAsked(slot);
    setError(movedOn(slot));
  }, [slot, asked]);

  const share = async () => {
    const mood = picked === null ? undefined : MOODS[picked];
    if (mood === undefined || sending) return;
    setError(null);
    try {
      await wish.share(asked, mood.word);
    } catch (reason) {
      const refusal = reason instanceof RefusedError ? reason : null;
      if (refusal?.code === "abandoned") return;
      if (refusal?.code === "slot_changed") {
        const next = asked === "morning" ? "evening" : "morning";
        setAsked(next);
        setError(movedOn(next));
      } else if (refusal?.code !== "mood_set")
        setError(
          refusal !== null && refusal.retryMs !== null && refusal.message !== ""
            ? refusal.message
            : say("That didn't go through. Please try again."),
        );
      // The server knows the state of the day, so it is read again.
      if (refusal?.retryMs === null) void readMoods();
      catchFocus(() => grid.current?.parentElement?.querySelector<HTMLElement>("[data-share]"));
    }
  };

  const onKey = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const all = radios();
    const at = all.findIndex((radio) => radio === document.activeElement);
    const count = all.length;
    const onward = isRtl() ? -1 : 1;
    const step = { ArrowRight: onward, ArrowLeft: -onward, ArrowDown: ROW, ArrowUp: -ROW }[event.key];
    const to = step !== undefined ? (at + step + count) % count : { Home: 0, End: count - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    all[to]?.focus();
    setPicked(to);
  };

  return (
    <div className={css.picker}>
      {/* The keys work wherever the focus is in the grid. */}
      {/* oxlint-disable-next-line jsx-a11y/interactive-supports-focus */}
      <div role="radiogroup" aria-label={say("Moods")} className={css.grid} ref={grid} onKeyDown={onKey}>
        {MOODS.map(({ word, emoji }, at) => (
          <label key={word} className={css.choice}>
            <input
              type="radio"
              // The soft hyphens of a translation are for the eye.
              aria-label={say(word).replaceAll("\u00ad", "")}
              name={id}
              checked={picked === at}
              disabled={sending}
              onChange={() => setPicked(at)}
            />
            <span className={css.emoji} aria-hidden="true">
              {emoji}
            </span>
            <span className={css.word} aria-hidden="true">
              {say(word)}
            </span>
          </label>
        ))}
      </div>
      <Note text={error} className={quiet} />
      <SendingNote busy={sending} />
      <div className={css.actions}>
        {/* A mood that is being sent is final, so Cancel is disabled. */}
        <Button variant="quiet" disabled={sending} onClick={onLeave}>
          {say("Cancel")}
        </Button>
        <Button
          data-share
          busy={sending}
          disabled={picked === null}
          aria-describedby={picked === null ? `${id}-first` : undefined}
          onClick={() => void share()}
        >
          {say("Share")}
        </Button>
        {/* For the eye the grid above it says so. */}
        <span id={`${id}-first`} hidden>
          {say("Pick a mood first.")}
        </span>
      </div>
    </div>
  );
}

const movedOn = (slot: Slot): string =>
  slot === "morning"
    ? say("It's morning where you are now. Set your morning vibe instead?")
    : say("It's evening where you are now. Set your evening vibe instead?");
