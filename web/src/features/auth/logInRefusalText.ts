import { RefusedError } from "../../engine/session";
import { say } from "../../say";
import { account } from "./account";

/** Refusals of a log-in whose own sentence helps. All others share one message. */
const HELPFUL = new Set(["no_such_user", "bad_credentials", "suspended", "slow_down", "passkey_unknown"]);

export function logInRefusalText(error: unknown): string {
  return error instanceof RefusedError && HELPFUL.has(error.code) && error.message !== ""
    ? error.message
    : say(account.logInFailed);
}
