import { RefusedError } from "../wire/refused";

/** Refusals whose own sentence says what to do. */
const HELPFUL = new Set(["invalid", "weak_password", "email_taken", "slow_down", "storage_full"]);

/** What to tell a person: the server's sentence where it helps, else this one. */
export function says(error: unknown, otherwise: string): string {
  return error instanceof RefusedError && HELPFUL.has(error.code) && error.message !== "" ? error.message : otherwise;
}
