// Quiet hours: a span of times in which nothing here says that something is new (D-U1).
//
// Promise: the times are by the clock of the device on which they were saved. A device in another zone offers its own,
// and changes nothing by itself.

import { useId, useRef, useState } from "react";
import { RefusedError } from "../../engine/refused";
import { refusalText } from "../../engine/refusalText";
import { useSession } from "../../engine/session";
import type { QuietHours as Hours, Weekday } from "../../engine/types.gen";
import { say, speechNow } from "../../say";
import { Button } from "../../ui/Button";
import { Field } from "../../ui/Field";
import { Form } from "../../ui/Form";
import { Note } from "../../ui/Note";
import { Say } from "../../ui/Say";
import { Switch } from "../../ui/Switch";
import { catchFocus } from "../../ui/focus";
import { asStart } from "../../ui/relative";
import { toast } from "../../ui/toast";
import { QuietNote } from "../shared/QuietNote";
import { Section } from "./Section";
import { setQuietHours } from "./api";
import { privacy, quiet as words, titles } from "./words";
import css from "./settings.module.css";

const DAYS: readonly Weekday[] = [
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
  "sunday",
];

/** What is typed and chosen, and not saved yet. */
type Draft = Pick<Hours, "from" | "to" | "days">;
/** A message: of the switch, or of the form, where the server blames a field. */
type Wrong = { place: "switch" | "form"; field: string | null; text: string };

export function QuietHours() {
  const kept = useSession().me?.quiet_hours ?? null;
  const [draft, setDraft] = useState<Draft | null>(null);
  // The pressed value of the switch until the reply. It takes precedence over the value of the server.
  const [wish, setWish] = useState<boolean | null>(null);
  const [isSaving, setSaving] = useState(false);
  const [wrong, setWrong] = useState<Wrong | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const save = useRef<HTMLButtonElement>(null);
  const hintId = useId();

  const here = zoneHere();
  // The zone of what is shown, and that of what is saved.
  const zone = draft === null ? (kept?.zone ?? here) : here;
  const zoneToSave = here === "" ? (kept?.zone ?? "") : here;
  const usual: Hours = { on: false, from: "22:00", to: "07:00", days: [...DAYS], zone: here };
  const { from, to, days } = draft ?? kept ?? usual;
  // The switch and the form send all of it, so one waits for the other.
  const isBlocked = from === "" || to === "" || wish !== null;
  const write = (changes: Partial<Draft>): void => {
    setDraft({ from, to, days, ...changes });
    setWrong(null);
  };
  const messageAt = (field: string): string | undefined =>
    wrong?.place === "form" && (wrong.field ?? "") === field ? wrong.text : undefined;

  const send = async (hours: Hours, place: Wrong["place"]): Promise<boolean> => {
    setWrong(null);
    try {
      await setQuietHours(hours);
      return true;
    } catch (error) {
      const field = error instanceof RefusedError ? error.field : null;
      setWrong({ place, field, text: refusalText(error, say(privacy.failed)) });
      return false;
    }
  };

  const press = async (): Promise<void> => {
    const on = !(kept?.on ?? false);
    setWish(on);
    // Until they were saved once, there is nothing to switch on but what is shown.
    await send({ ...(kept ?? { ...usual, from, to, days }), on }, "switch");
    setWish(null);
    catchFocus(() => button.current);
  };

  const saveAll = async (hours: Hours): Promise<void> => {
    setSaving(true);
    if (await send(hours, "form")) {
      // What was typed meanwhile stays.
      setDraft((now) => (now === draft ? null : now));
      toast(say(words.saved));
    }
    setSaving(false);
    catchFocus(() => save.current);
  };

  return (
    <Section title={titles.quiet}>
      <div className={css.item}>
        <Switch
          ref={button}
          on={wish ?? kept?.on ?? false}
          hint={hintId}
          disabled={wish !== null || isSaving}
          onPress={() => void press()}
        >
          {say(titles.quiet)}
        </Switch>
        <Note text={wrong?.place === "switch" ? wrong.text : undefined} />
        <p id={hintId} className={css.hint}>
          {say(words.hint)}
        </p>
        <QuietNote by={kept?.to} />
      </div>
      <Form
        className={css.form}
        onSend={() => void saveAll({ on: kept?.on ?? false, from, to, days, zone: zoneToSave })}
      >
        <div className={css.options}>
          <Field label={say(words.from)}>
            <input
              type="time"
              required
              value={from}
              onChange={({ target }) => write({ from: target.value })}
            />
          </Field>
          <Field label={say(words.to)} error={messageAt("to")}>
            <input type="time" required value={to} onChange={({ target }) => write({ to: target.value })} />
          </Field>
        </div>
        <Days chosen={days} error={messageAt("days")} onChoose={(chosen) => write({ days: chosen })} />
        <Note text={messageAt("")} />
        {zone !== "" && (
          <p className={css.hint}>
            <Say text={words.zone} zone={<bdi>{zone}</bdi>} />
          </p>
        )}
        <div className={css.options}>
          <Button ref={save} type="submit" busy={isSaving} disabled={isBlocked}>
            {say(words.save)}
          </Button>
          {kept !== null && isElsewhere(kept.zone, here) && (
            <Button
              variant="quiet"
              disabled={isSaving || isBlocked}
              onClick={() => void saveAll({ on: kept.on, from, to, days, zone: here })}
            >
              {say(words.use, { zone: here })}
            </Button>
          )}
        </div>
      </Form>
    </Section>
  );
}

function Days({
  chosen,
  error,
  onChoose,
}: {
  chosen: readonly Weekday[];
  error: string | undefined;
  onChoose(chosen: Weekday[]): void;
}) {
  const id = useId();
  const errorId = useId();
  return (
    <div
      role="group"
      aria-labelledby={id}
      aria-describedby={error === undefined ? undefined : errorId}
      className={css.choice}
    >
      <p id={id} className={css.label}>
        {say(words.days)}
      </p>
      <div className={css.options}>
        {DAYS.map((day, place) => (
          <label key={day} className={css.option}>
            <input
              type="checkbox"
              checked={chosen.includes(day)}
              onChange={({ target }) =>
                onChoose(DAYS.filter((one) => (one === day ? target.checked : chosen.includes(one))))
              }
            />
            <span>{nameOf(day, place)}</span>
          </label>
        ))}
      </div>
      <Note id={errorId} text={error} />
    </div>
  );
}

/** Returns the name of a weekday in the language of the page. `place`: 0 is Monday. */
function nameOf(day: Weekday, place: number): string {
  // The first of January 2024 was a Monday.
  const name = speechNow()?.weekday(new Date(2024, 0, 1 + place, 12).getTime());
  return asStart(name ?? day);
}

/** Returns the name of this device's time zone; empty if the browser does not know it. */
const zoneHere = (): string =>
  (new Intl.DateTimeFormat().resolvedOptions().timeZone as string | undefined) ?? "";

/** Returns whether the hours are by another zone than this device's. Some zones have several names. */
function isElsewhere(zone: string, here: string): boolean {
  if (here === "" || zone === here) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone !== here;
  } catch {
    // The browser does not know the zone.
    return true;
  }
}
