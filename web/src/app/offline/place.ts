// Where things are kept: the browser's database, by names that begin with the person's id. A database that is missing
// or does not answer keeps nothing.

import { createStore, delMany, entries, set } from "idb-keyval";
import type { UseStore } from "idb-keyval";

export type Place = {
  put(name: string, value: unknown): Promise<void>;
  drop(names: readonly string[]): Promise<void>;
  /** What is kept, with names that `isWanted`. */
  read(isWanted: (name: string) => boolean): Promise<[string, unknown][]>;
};

let opened: UseStore | null = null;
const store = (): UseStore => (opened ??= createStore("mellow-kept", "things"));

export const browserPlace: Place = {
  put: (name, value) => set(name, value, store()).catch(() => undefined),
  drop: (names) => delMany([...names], store()).catch(() => undefined),
  read: (isWanted) =>
    entries<string, unknown>(store()).then(
      (all) => all.filter(([name]) => isWanted(name)),
      () => [],
    ),
};
