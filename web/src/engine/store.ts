// The one store, filled from received frames. Components read it through `useStore`. Only pure functions
// change it: apply.ts, and the read and pending functions of features.

import { useStore as useZustand } from "zustand";
import { createStore } from "zustand/vanilla";
import type { State } from "./state";
import type { Feature } from "./feature";
import { emptyState, features, registerFeatures } from "./feature";

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

/** Adds a feature with a part of the page that is loaded later than its start. It comes after all others. */
export function addFeature(feature: Feature): void {
  registerFeatures([...features(), feature]);
  update((state) => ({ ...feature.initial(), ...state }));
}
