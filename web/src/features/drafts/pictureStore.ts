// The pictures of drafts, in the browser's database, by user and upload. If there is no space or no database,
// only the text is saved.

import type { UseStore } from "idb-keyval";
import { createStore, delMany, getMany, keys, set } from "idb-keyval";

/** How long the database may take. After that it counts as missing. */
const ANSWER_MS = 4_000;

export type PictureStore = {
  put(userId: number, upload: string, blob: Blob): Promise<boolean>;
  get(userId: number, uploads: readonly string[]): Promise<ReadonlyMap<string, Blob>>;
  /** Deletes the user's pictures except those that `kept` names. It is called right before the deletion. */
  tidy(userId: number, kept: () => readonly string[]): Promise<void>;
};

let opened: UseStore | null = null;
const store = (): UseStore => (opened ??= createStore("mellow-drafts", "pictures"));
const name = (userId: number, upload: string): string => `${String(userId)}/${upload}`;

export const browserPictureStore: PictureStore = {
  async put(userId, upload, blob) {
    return inTime(async () => {
      await set(name(userId, upload), blob, store());
      return true;
    }, false);
  },

  async get(userId, uploads) {
    if (uploads.length === 0) return new Map();
    const held = await inTime(
      () =>
        getMany<unknown>(
          uploads.map((upload) => name(userId, upload)),
          store(),
        ),
      [],
    );
    return new Map(
      uploads.flatMap((upload, at) => {
        const blob = held[at];
        return blob instanceof Blob ? [[upload, blob] as const] : [];
      }),
    );
  },

  async tidy(userId, kept) {
    await inTime(async () => {
      const mine = (await keys<string>(store())).filter((key) => key.startsWith(`${String(userId)}/`));
      const stays = new Set(kept().map((upload) => name(userId, upload)));
      await delMany(
        mine.filter((key) => !stays.has(key)),
        store(),
      );
    }, undefined);
  },
};

async function inTime<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), ANSWER_MS);
  });
  try {
    return await Promise.race([work(), late]);
  } catch {
    return otherwise;
  } finally {
    clearTimeout(timer);
  }
}
