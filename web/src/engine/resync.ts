// Reads what is on screen again, after an interruption that the server cannot account for.
//
// Promises: everything is changed in place. New posts wait under the pill, open threads stay open, typed
// text and the scroll position do not change.

import type { Ask } from "./ask";
import { RefusedError } from "./ask";
import type { Tools } from "./feature";
import { features } from "./feature";
import type { Id, State } from "./state";

/** Seqs of another epoch do not compare: whatever is read next is the newer. */
export function forgetSeqs(state: State): State {
  const next = features().reduce((left, feature) => ({ ...left, ...feature.forgetSeqs?.(left) }), state);
  return { ...next, resyncs: state.resyncs + 1 };
}

/** Every feature reads its part again. Returns when all of them were answered or failed. */
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

/** Collects the users that the answers name; null when one answer did not come. */
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
