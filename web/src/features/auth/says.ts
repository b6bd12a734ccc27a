import { RefusedError } from "../../store/session";
import { account } from "./account";

/** Refusals of a log-in whose own sentence helps; every other reason is the same to the person. */
const SAID = new Set(["no_such_user", "bad_credentials", "slow_down"]);

export function logInSays(error: unknown): string {
  return error instanceof RefusedError && SAID.has(error.code) && error.message !== "" ? error.message : account.logInFailed;
}
