// The delay before the next connection attempt. The first is anywhere between half a second and four, so that
// many clients do not return in the same second; each further one is twice as long, with full jitter, and
// never more than a minute. A server that stops sends the time over which its clients spread.

const FIRST_MIN_MS = 500;
const FIRST_MAX_MS = 4_000;
const MAX_MS = 60_000;
/** A restart takes about this long. */
export const RESTART_MS = 1_000;

/** Milliseconds before attempt `attempt` (0 is the first after a loss); `random` is in 0..1. */
export function retryDelay(attempt: number, random: number): number {
  const ceiling = Math.min(MAX_MS, FIRST_MAX_MS * 2 ** Math.min(attempt, 10));
  return Math.round(FIRST_MIN_MS + random * (ceiling - FIRST_MIN_MS));
}

/** Milliseconds before the first attempt after a stop; `backMs` is what the server sent. */
export function restartDelay(backMs: number, random: number): number {
  return Math.round(RESTART_MS + random * backMs);
}
