import { RefusedError } from "./refused";

/** Refusals whose own sentence says what to do. */
const HELPFUL = new Set([
  "invalid",
  "weak_password",
  "email_taken",
  "slow_down",
  "storage_full",
  "outbox_full",
]);

/** Returns the message for a refusal: the server's sentence if it helps, else `otherwise`. */
export function refusalText(error: unknown, otherwise: string): string {
  return error instanceof RefusedError && HELPFUL.has(error.code) && error.message !== ""
    ? error.message
    : otherwise;
}
