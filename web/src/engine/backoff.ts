// The delay before the next connection attempt. The first delay is random between half a second and four
// seconds, so that many clients do not return in the same second. The range doubles with each attempt, up to
// a minute, with full jitter. A server that stops tells its clients over what time to spread their return.

const FIRST_MIN_MS = 500;
const FIRST_MAX_MS = 4_000;
const MAX_MS = 60_000;
/** A restart takes about this long. */
export const RESTART_MS = 1_000;

/** Returns the milliseconds before an attempt (0 is the first after a loss); `random` is in 0..1. */
export function retryDelay(attempt: number, random: number): number {
  const ceiling = Math.min(MAX_MS, FIRST_MAX_MS * 2 ** Math.min(attempt, 10));
  return Math.round(FIRST_MIN_MS + random * (ceiling - FIRST_MIN_MS));
}

/**
 * Returns the milliseconds before the first attempt after the server stopped; `backMs` is the time it sent.
 */
export function restartDelay(backMs: number, random: number): number {
  return Math.round(RESTART_MS + random * backMs);
}
