// Applies events: takes a state and an event, and returns the new state. Each feature defines what its events
// change.
//
// Promises: applying an event twice changes nothing (L5), nor does applying a whole write twice; an event at
// or below the seq of a reply changes nothing that the reply contains (L3); several events of one write are
// all applied; pending changes are not touched.
// This file uses no socket and no clock.

import { features } from "./feature";
import type { AnyEvent } from "./frames";
import type { State } from "./state";

/** Applies several events in their order. */
export function applyAll(state: State, events: readonly AnyEvent[]): State {
  return events.reduce(apply, state);
}

export function apply(state: State, event: AnyEvent): State {
  return features().reduce((next, { on }) => {
    const handle = on?.[event.ev] as ((state: State, event: AnyEvent) => State) | undefined;
    return handle === undefined ? next : handle(next, event);
  }, state);
}
