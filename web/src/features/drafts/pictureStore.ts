// The pictures of drafts, in the browser's database, by user and upload. If there is no space or no database,
// only the text is saved.

import { delMany, getMany, keys, set } from "idb-keyval";
import { tableOf } from "../../engine/database";

export type PictureStore = {
  put(userId: number, upload: string, blob: Blob): Promise<boolean>;
  get(userId: number, uploads: readonly string[]): Promise<ReadonlyMap<string, Blob>>;
  /** Deletes the user's pictures except those that `kept` names. It is called right before the deletion. */
  tidy(userId: number, kept: () => readonly string[]): Promise<void>;
};

const pictures = tableOf("mellow-drafts", "pictures");
const name = (userId: number, upload: string): string => `${String(userId)}/${upload}`;

export const browserPictureStore: PictureStore = {
  put: (userId, upload, blob) =>
    pictures(async (store) => {
      await set(name(userId, upload), blob, store);
      return true;
    }, false),

  async get(userId, uploads) {
    if (uploads.length === 0) return new Map();
    const names = uploads.map((upload) => name(userId, upload));
    const held = await pictures((store) => getMany<unknown>(names, store), []);
    return new Map(
      uploads.flatMap((upload, at) => {
        const blob = held[at];
        return blob instanceof Blob ? [[upload, blob] as const] : [];
      }),
    );
  },

  tidy: (userId, kept) =>
    pictures(async (store) => {
      const mine = (await keys<string>(store)).filter((key) => key.startsWith(`${String(userId)}/`));
      const stays = new Set(kept().map((upload) => name(userId, upload)));
      await delMany(
        mine.filter((key) => !stays.has(key)),
        store,
      );
    }, undefined),
};
