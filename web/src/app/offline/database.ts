// Storage in the browser's database, under names that begin with the person's id. If the database is missing
// or does not answer, nothing is kept.

import { delMany, entries, promisifyRequest } from "idb-keyval";
import { tableOf } from "../../engine/database";

export type Database = {
  put(name: string, value: unknown): Promise<void>;
  drop(names: readonly string[]): Promise<void>;
  /** Returns the names and values for which `matches` is true. */
  read(matches: (name: string) => boolean): Promise<[string, unknown][]>;
};

const things = tableOf("mellow-kept", "things");

export const browserDatabase: Database = {
  put: (name, value) =>
    things(
      (store) =>
        store("readwrite", (table) => {
          table.put(value, name);
          // A page that is being closed may end before the browser commits by itself.
          table.transaction.commit?.();
          return promisifyRequest(table.transaction);
        }),
      undefined,
    ),
  drop: (names) => things((store) => delMany([...names], store), undefined),
  read: (matches) =>
    things<[string, unknown][]>(
      async (store) => (await entries<string, unknown>(store)).filter(([name]) => matches(name)),
      [],
    ),
};
