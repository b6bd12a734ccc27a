// Storage in the browser's database, under names that begin with the person's id. If the database is missing
// or does not answer, nothing is kept.

import { createStore, delMany, entries, set } from "idb-keyval";
import type { UseStore } from "idb-keyval";

export type Database = {
  put(name: string, value: unknown): Promise<void>;
  drop(names: readonly string[]): Promise<void>;
  /** Returns the names and values for which `matches` is true. */
  read(matches: (name: string) => boolean): Promise<[string, unknown][]>;
};

let opened: UseStore | null = null;
const store = (): UseStore => (opened ??= createStore("mellow-kept", "things"));

export const browserDatabase: Database = {
  put: (name, value) => set(name, value, store()).catch(() => undefined),
  drop: (names) => delMany([...names], store()).catch(() => undefined),
  read: (matches) =>
    entries<string, unknown>(store()).then(
      (all) => all.filter(([name]) => matches(name)),
      () => [],
    ),
};
