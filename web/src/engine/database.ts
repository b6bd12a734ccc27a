// The browser's database. This is the only file that asks for it, because a browser may refuse: by throwing, by a
// rejected promise, by never answering, or by having none.

import type { UseStore } from "idb-keyval";
import { createStore } from "idb-keyval";
import { storageRefused } from "../storage";

/** How long the database may take. After that it counts as missing. */
const ANSWER_MS = 4_000;

/** Works with one table. Returns `otherwise` if there is no database, no space or no answer. */
export type Table = <T>(work: (store: UseStore) => Promise<T>, otherwise: T) => Promise<T>;

export function tableOf(database: string, table: string): Table {
  let opened: UseStore | null = null;
  return async (work, otherwise) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error("no answer")), ANSWER_MS);
    });
    try {
      return await Promise.race([work((opened ??= createStore(database, table))), late]);
    } catch {
      // Everything goes on in memory, and the page says so.
      storageRefused();
      return otherwise;
    } finally {
      clearTimeout(timer);
    }
  };
}
