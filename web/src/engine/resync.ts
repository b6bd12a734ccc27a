// Reads everything on screen again after an interruption whose events the server cannot replay.
//
// Promises: everything is changed in place. New posts wait behind the button for new posts, open threads stay
// open, typed text and the scroll position do not change.

import type { Ask } from "./ask";
import { RefusedError } from "./ask";
import type { Tools } from "./feature";
import { features } from "./feature";
import type { Id, State } from "./state";

/**
 * Forgets the seqs of the old epoch, because they cannot be compared. Everything that is read next is newer.
 */
export function forgetSeqs(state: State): State {
  const next = features().reduce((left, feature) => ({ ...left, ...feature.forgetSeqs?.(left) }), state);
  return { ...next, resyncs: state.resyncs + 1 };
}

/** Every feature reads its part again. Resolves when all requests were answered or failed. */
export async function resync(tools: Tools): Promise<void> {
  const before = tools.state();
  const { ask, named } = collectingUsers(tools.ask);
  tools.update(forgetSeqs);
  await Promise.allSettled(features().map((feature) => feature.reread?.({ ...tools, ask }, before)));
  const users = named();
  if (users !== null)
    tools.update((s) =>
      features().reduce((next, feature) => feature.reconcile?.(next, before, users) ?? next, s),
    );
}

/** Collects the users in the replies. `named` returns null if a request failed. */
function collectingUsers(asks: Ask): { ask: Ask; named(): ReadonlySet<Id> | null } {
  const users = new Set<Id>();
  let isWhole = true;
  const ask: Ask = async (op, fields, options) => {
    try {
      const ok = await asks(op, fields, options);
      if ("users" in ok) for (const { id } of ok.users) users.add(id);
      return ok;
    } catch (error) {
      if (!(error instanceof RefusedError && error.code === "not_found")) isWhole = false;
      throw error;
    }
  };
  return { ask, named: () => (isWhole ? users : null) };
}
