// Numbers of polls as text: the time that is left, and the share of each option.

import { say } from "../../say";
import { countOf, folded, isBlank, tidyLine } from "../shared/text";

export const QUESTION_CHARS_MAX = 140;
export const OPTION_CHARS_MAX = 40;
export const OPTIONS_MAX = 4;
export const OPTIONS_MIN = 2;

const HOUR = 3_600_000;
const LIFE_MS = 7 * 24 * HOUR;

/** Returns the time that is left, such as `6d 23h left`, `5h left` or `Under 1h left`. */
export function countdown(closesAtMs: number, now: number): string {
  // The clock of a device may be behind, but seven whole days are never left.
  const hours = Math.floor(Math.min(closesAtMs - now, LIFE_MS - 1) / HOUR);
  if (hours < 1) return say("Under 1h left");
  return hours < 24
    ? say("{hours}h left", { hours })
    : say("{days}d {hours}h left", { days: Math.floor(hours / 24), hours: hours % 24 });
}

/** Returns whole percentages by the largest remainder. Their sum is 100, or 0 if nobody voted. */
export function percentages(tally: readonly number[]): number[] {
  const total = tally.reduce((sum, votes) => sum + votes, 0);
  if (total === 0) return tally.map(() => 0);
  const exact = tally.map((votes) => (votes * 100) / total);
  const whole = exact.map(Math.floor);
  const left = 100 - whole.reduce((sum, percent) => sum + percent, 0);
  const byRest = tally.map((_, at) => at).sort((a, b) => rest(exact, b) - rest(exact, a) || a - b);
  for (const at of byRest.slice(0, left)) whole[at] = (whole[at] ?? 0) + 1;
  return whole;
}

const rest = (exact: readonly number[], at: number): number => (exact[at] ?? 0) % 1;

export type Words = { question: string; options: readonly string[] };

/** `field` is `question`, or `option 0` for the first option. */
export type Wrong = { field: string; message: string };

/** Returns the first error of a poll; null if it can be created. */
export function wrongWith({ question, options }: Words): Wrong | null {
  const asked = tidyLine(question);
  if (isBlank(asked)) return { field: "question", message: say("Please enter a question") };
  if (countOf(asked) > QUESTION_CHARS_MAX)
    return { field: "question", message: say("Question must be 140 characters or less") };
  const tidy = options.map(tidyLine);
  // The same answer twice counts as one answer.
  const seen = new Set(tidy.filter((option) => !isBlank(option)).map(folded));
  if (seen.size < OPTIONS_MIN) {
    const blank = tidy.findIndex(isBlank);
    return {
      field: `option ${String(blank < 0 ? 1 : blank)}`,
      message: say("Please provide at least 2 options"),
    };
  }
  const long = tidy.findIndex((option) => countOf(option) > OPTION_CHARS_MAX);
  return long < 0
    ? null
    : { field: `option ${String(long)}`, message: say("Each option must be 40 characters or less") };
}
