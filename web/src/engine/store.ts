// The one store, filled from received frames. Components read it through `useStore`. Only pure functions
// change it: apply.ts, and the read and pending functions of features.

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
