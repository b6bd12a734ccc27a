// The one store, fed by frames. Components read it through `useStore`; whatever changes it goes
// through the pure functions of apply.ts, load.ts and pending.ts.

import { useStore as useZustand } from "zustand";
import { createStore } from "zustand/vanilla";
import type { State } from "./state";
import { emptyState } from "./feature";

export const makeStore = () => createStore<State>()(() => emptyState());
export type Store = ReturnType<typeof makeStore>;

export const store: Store = makeStore();

export function useStore<T>(select: (state: State) => T): T {
  return useZustand(store, select);
}

/** Changes the state by a pure function. */
export function update(how: (state: State) => State): void {
  store.setState(how, true);
}
