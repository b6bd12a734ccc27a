import { RefusedError } from "./refused";

/** Refusals whose own sentence refusalText what to do. */
const HELPFUL = new Set(["invalid", "weak_password", "email_taken", "slow_down", "storage_full"]);

/** The message for a refusal: the server's sentence where it helps, else `otherwise`. */
export function refusalText(error: unknown, otherwise: string): string {
  return error instanceof RefusedError && HELPFUL.has(error.code) && error.message !== ""
    ? error.message
    : otherwise;
}
