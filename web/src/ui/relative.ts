// How long ago something was, as text: minutes, hours, yesterday, days, and then the date.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Returns the age of a time as text. A time in the future counts as now, because clocks differ. */
export function relative(ms: number, now: number, short = false): string {
  const ago = now - ms;
  if (ago < MINUTE) return "Just now";
  if (ago < HOUR) return count(Math.floor(ago / MINUTE), "minute", short);
  if (ago < DAY) return count(Math.floor(ago / HOUR), "hour", short);
  const days = Math.floor(ago / DAY);
  if (days === 1 && !short) return "Yesterday";
  if (days < 7) return count(days, "day", short);
  return shortDate(ms);
}

function count(n: number, unit: string, short: boolean): string {
  return short ? `${String(n)}${unit.charAt(0)}` : `${String(n)} ${unit}${n === 1 ? "" : "s"} ago`;
}

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/** Returns the name of a day relative to another, both in the reader's time zone. */
export function dayWords(ms: number, now: number): string {
  const ago = Math.round((midnight(now) - midnight(ms)) / DAY);
  if (ago <= 0) return "Today";
  if (ago === 1) return "Yesterday";
  return ago < 7 ? (WEEKDAYS[new Date(ms).getDay()] ?? "") : shortDate(ms);
}

/**
 * Returns the start of a day. When clocks change, a day is an hour shorter or longer, so differences are
 * rounded.
 */
const midnight = (ms: number): number => new Date(ms).setHours(0, 0, 0, 0);

/** Returns a date inside a sentence: `5 March`, or `5 March 2025` in another year than `now`. */
export function dayInSentence(ms: number, now: number): string {
  const isThisYear = new Date(ms).getFullYear() === new Date(now).getFullYear();
  return new Intl.DateTimeFormat("en-GB", {
    day: "numeric",
    month: "long",
    ...(isThisYear ? {} : { year: "numeric" }),
  }).format(ms);
}

/** Returns a date such as `05/Mar/26`, in the reader's time zone. */
export function shortDate(ms: number): string {
  const date = new Date(ms);
  const two = (n: number): string => String(n).padStart(2, "0");
  return `${two(date.getDate())}/${MONTHS[date.getMonth()] ?? ""}/${two(date.getFullYear() % 100)}`;
}
