// Local and session storage. This is the only file that asks the browser for them, because a browser may
// refuse: each access may throw, also reading the name.
//
// Promises: no function here throws. What the browser refuses is kept in memory, for as long as the page.
//
// The browser's database is asked for in engine/database.ts.

export type TextStore = {
  getItem(key: string): string | null;
  /** Returns false if the browser keeps nothing. The value then lasts as long as the page. */
  setItem(key: string, value: string): boolean;
  removeItem(key: string): void;
  keys(): string[];
};

let isRefused = false;

/** Returns whether the browser has refused to keep something of this page. */
export const isStorageRefused = (): boolean => isRefused;

export function storageRefused(): void {
  isRefused = true;
}

function storeOf(name: "localStorage" | "sessionStorage"): TextStore {
  const memory = new Map<string, string>();
  const tried = <T>(work: (storage: Storage) => T, otherwise: T): T => {
    try {
      return work(window[name]);
    } catch {
      // Storage is forbidden or full.
      storageRefused();
      return otherwise;
    }
  };
  return {
    getItem: (key) => memory.get(key) ?? tried((storage) => storage.getItem(key), null),
    setItem(key, value) {
      const isKept = tried((storage) => {
        storage.setItem(key, value);
        return true;
      }, false);
      if (isKept) memory.delete(key);
      else memory.set(key, value);
      return isKept;
    },
    removeItem(key) {
      memory.delete(key);
      tried((storage) => storage.removeItem(key), undefined);
    },
    keys: () => [
      ...new Set([
        ...memory.keys(),
        ...tried((storage) => Array.from({ length: storage.length }, (_, at) => storage.key(at) ?? ""), []),
      ]),
    ],
  };
}

export const local = storeOf("localStorage");
export const session = storeOf("sessionStorage");
