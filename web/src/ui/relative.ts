// How long ago something was, as text: minutes, hours, yesterday, days, and then the date. English has the forms that the
// product prescribes. Other languages have those that the browser knows.

import { locale, say, speechNow } from "../say";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/** Returns the age of a time as text. A time in the future counts as now, because clocks differ. */
export function relative(ms: number, now: number, short = false): string {
  return asStart(relativeInside(ms, now, short));
}

/** Returns the name of a day relative to another, both in the reader's time zone. */
export function dayWords(ms: number, now: number): string {
  return asStart(dayInside(ms, now));
}

/** Returns the age of a time for the inside of a sentence: `yesterday`. */
export function relativeInside(ms: number, now: number, short = false): string {
  const ago = now - ms;
  if (ago < MINUTE) return say("just now");
  if (ago < HOUR) return count(Math.floor(ago / MINUTE), "minute", short);
  if (ago < DAY) return count(Math.floor(ago / HOUR), "hour", short);
  const days = Math.floor(ago / DAY);
  return days < 7 ? count(days, "day", short) : shortDate(ms);
}

/** Returns the name of a day for the inside of a sentence: `yesterday`, but `Monday`. */
export function dayInside(ms: number, now: number): string {
  const ago = Math.round((midnight(now) - midnight(ms)) / DAY);
  if (ago < 2) return count(Math.max(ago, 0), "day", false);
  if (ago >= 7) return shortDate(ms);
  return speechNow()?.weekday(ms) ?? WEEKDAYS[new Date(ms).getDay()] ?? "";
}

function count(n: number, unit: "minute" | "hour" | "day", short: boolean): string {
  const speech = speechNow();
  if (speech !== null) return speech.ago(n, unit, short);
  if (short) return `${String(n)}${unit.charAt(0)}`;
  if (unit === "day" && n < 2) return n === 0 ? "today" : "yesterday";
  return `${String(n)} ${unit}${n === 1 ? "" : "s"} ago`;
}

/**
 * Returns the start of a day. When clocks change, a day is an hour shorter or longer, so differences are
 * rounded.
 */
const midnight = (ms: number): number => new Date(ms).setHours(0, 0, 0, 0);

const two = (n: number): string => String(n).padStart(2, "0");

/** Returns a date such as `05/Mar/26`, in the reader's time zone. */
export function shortDate(ms: number): string {
  const date = new Date(ms);
  return (
    speechNow()?.date(ms) ??
    `${two(date.getDate())}/${MONTHS[date.getMonth()] ?? ""}/${two(date.getFullYear() % 100)}`
  );
}

/** Returns a date and a time such as `05/Mar/26, 14:05`, in the reader's time zone. */
export function shortMoment(ms: number): string {
  const date = new Date(ms);
  return speechNow()?.moment(ms) ?? `${shortDate(ms)}, ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Returns a text for the start of a line. */
export const asStart = (text: string): string =>
  text.replace(/^\p{Ll}/u, (first) => first.toLocaleUpperCase(locale()));
