// How many minutes a person used Mellow today, and whether they asked to be told (D-U5).
//
// Promises: nothing of it is sent. A minute counts once, in however many tabs it is used. Only the sum of today is kept,
// only while the reminder is on. Nothing is counted beyond the limit, because nothing more is said that day.

import type { Clock } from "../../engine/clock";
import { realClock } from "../../engine/clock";
import type { Id } from "../../engine/state";
import type { TextStore } from "../../storage";
import { local } from "../../storage";
import { choiceKey, isOfTimeHere, todayKey } from "./kept";

/** The limits that a person can choose, in minutes. */
export const LIMITS = [10, 20, 30, 60] as const;
const FIRST_LIMIT = 20;
const MINUTE_MS = 60_000;

/** `after`: the limit in minutes. */
export type Choice = { isOn: boolean; after: number };

/**
 * `date`: the local date. `last`: the minute that was counted last, in minutes since 1970, so that another tab does not
 * count it too.
 */
type Today = { date: string; minutes: number; last: number; isAnswered: boolean };

export class TimeHere {
  private readonly watchers = new Set<() => void>();
  /** The person and the minute that this tab handled last. A pointer that moves then reads no storage. */
  private handled = "";
  private isOfThisTab = false;

  constructor(
    private readonly storage: TextStore,
    private readonly clock: Pick<Clock, "now">,
  ) {}

  readonly watch = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  };

  /** The choice or the sum changed, here or in another tab. */
  changed(): void {
    for (const watcher of this.watchers) watcher();
  }

  choice(userId: Id): Choice {
    const [word, limit] = (this.storage.getItem(choiceKey(userId)) ?? "").split(" ");
    return { isOn: word === "on", after: LIMITS.find((one) => String(one) === limit) ?? FIRST_LIMIT };
  }

  choose(userId: Id, { isOn, after }: Choice): void {
    const before = this.reached(userId);
    this.storage.setItem(choiceKey(userId), `${isOn ? "on" : "off"} ${String(after)}`);
    if (!isOn) this.storage.removeItem(todayKey(userId));
    this.handled = "";
    this.isOfThisTab ||= before === null && this.reached(userId) !== null;
    this.changed();
  }

  /** The person did something in this tab, which was in sight. */
  used(userId: Id): void {
    const minute = Math.floor(this.clock.now() / MINUTE_MS);
    const handled = `${String(userId)} ${String(minute)}`;
    if (this.handled === handled) return;
    this.handled = handled;
    const { isOn, after } = this.choice(userId);
    const today = this.today(userId);
    if (!isOn || today.last === minute || today.isAnswered || today.minutes >= after) return;
    const minutes = today.minutes + 1;
    this.isOfThisTab = minutes === after;
    this.keep(userId, { ...today, minutes, last: minute });
  }

  /** Returns the minutes to tell the person about, until they answer; null: nothing is to be told. */
  reached(userId: Id): number | null {
    const { isOn, after } = this.choice(userId);
    const { minutes, isAnswered } = this.today(userId);
    return isOn && !isAnswered && minutes >= after ? minutes : null;
  }

  /** Returns whether the limit was reached in this tab, which then announces it. */
  get isReachedHere(): boolean {
    return this.isOfThisTab;
  }

  /** The person answered. Nothing more is told today. */
  answer(userId: Id): void {
    // A line of yesterday says nothing about today.
    if (this.reached(userId) !== null) this.keep(userId, { ...this.today(userId), isAnswered: true });
  }

  private today(userId: Id): Today {
    const date = new Date(this.clock.now()).toDateString();
    const kept = parsed(this.storage.getItem(todayKey(userId)));
    return kept?.date === date ? kept : { date, minutes: 0, last: 0, isAnswered: false };
  }

  private keep(userId: Id, today: Today): void {
    this.storage.setItem(todayKey(userId), JSON.stringify(today));
    this.changed();
  }
}

function parsed(value: string | null): Today | null {
  try {
    const { date, minutes, last, isAnswered } = JSON.parse(value ?? "") as Partial<Today>;
    if (typeof date === "string" && typeof minutes === "number" && typeof last === "number")
      return { date, minutes, last, isAnswered: isAnswered === true };
  } catch {
    // Nothing is kept yet, or this value has another format. The sum begins again.
  }
  return null;
}

export const timeHere = new TimeHere(local, realClock);

addEventListener("storage", ({ key }) => {
  if (isOfTimeHere(key)) timeHere.changed();
});
