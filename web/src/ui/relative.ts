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

/** Returns the text of an age or of a day for the inside of a sentence: `yesterday`, but `Monday`. */
export function inSentence(words: string): string {
  return /^(?:Just|To|Yester)/u.test(words) ? words.charAt(0).toLowerCase() + words.slice(1) : words;
}

const two = (n: number): string => String(n).padStart(2, "0");

/** Returns a date such as `05/Mar/26`, in the reader's time zone. */
export function shortDate(ms: number): string {
  const date = new Date(ms);
  return `${two(date.getDate())}/${MONTHS[date.getMonth()] ?? ""}/${two(date.getFullYear() % 100)}`;
}

/** Returns a date and a time such as `05/Mar/26, 14:05`, in the reader's time zone. */
export function shortMoment(ms: number): string {
  const date = new Date(ms);
  return `${shortDate(ms)}, ${two(date.getHours())}:${two(date.getMinutes())}`;
}
