// Saves the post that is being written: its text in the browser's text storage, its pictures in the browser's
// database.
//
// Promises: it saves three seconds after the last change, and at once when the page is hidden or closed; a
// draft without text and pictures is not kept. The text is saved even if there is no room for the pictures.

import type { Clock, Timer } from "../../engine/clock";
import type { Asked, Draft } from "../shared/postDraft";
import { dropDraft, readDraft, writeDraft } from "./draft";
import type { TextStore } from "./draft";
import type { PictureStore } from "./pictureStore";

export const AUTOSAVE_MS = 3_000;

export type DraftSaverOptions = {
  userId: number;
  storage: TextStore;
  pictureStore: PictureStore;
  clock: Clock;
  /** What is there to keep now; null when there is nothing. */
  content(): Draft | null;
};

export type Kept = { draft: Draft; blobs: ReadonlyMap<string, Blob> };

export class DraftSaver {
  private timer: Timer | null = null;
  private readonly putting = new Set<Promise<unknown>>();
  private on = false;

  constructor(private readonly options: DraftSaverOptions) {}

  /** Begins to keep. Returns what was kept before. */
  async open(): Promise<Kept | null> {
    const { userId, storage, pictureStore } = this.options;
    const draft = readDraft(storage, userId);
    const names = draft?.pictures.map((note) => note.upload) ?? [];
    const blobs = await pictureStore.get(userId, names);
    void pictureStore.tidy(userId, () => [...names, ...this.names()]);
    // The post may have been sent meanwhile, without its draft; or the last words of another tab have arrived.
    const now = readDraft(storage, userId);
    if (now !== null && JSON.stringify(now) !== JSON.stringify(draft)) return this.open();
    return now === null || draft === null ? null : { draft, blobs };
  }

  /** From now on what is written here is what is kept. */
  start(): void {
    if (this.on) return;
    this.on = true;
    addEventListener("pagehide", this.now);
    addEventListener("beforeunload", this.now);
    document.addEventListener("visibilitychange", this.whenHidden);
  }

  /** Keeps no more. What was kept stays. */
  stop(): void {
    this.on = false;
    this.calm();
    removeEventListener("pagehide", this.now);
    removeEventListener("beforeunload", this.now);
    document.removeEventListener("visibilitychange", this.whenHidden);
  }

  /** Something changed: it is saved after a pause in typing. */
  touch(): void {
    if (!this.on) return;
    this.calm();
    this.timer = this.options.clock.after(AUTOSAVE_MS, this.now);
  }

  /** Keeps everything now. */
  readonly now = (): void => {
    this.calm();
    if (!this.on) return;
    const { userId, storage, content } = this.options;
    const draft = content();
    if (draft === null) dropDraft(storage, userId);
    else writeDraft(storage, userId, draft);
  };

  /** Keeps a picture, and with it the draft it belongs to. */
  keepPicture(upload: string, blob: Blob): void {
    const { userId, pictureStore } = this.options;
    const put = pictureStore.put(userId, upload, blob).then(() => this.now());
    this.putting.add(put);
    void put.finally(() => this.putting.delete(put));
  }

  /** Lets go of pictures that are no longer part of the draft. */
  dropPictures(): void {
    void this.options.pictureStore.tidy(this.options.userId, () => this.names());
  }

  /** Keeps everything, and waits for the pictures that are still on their way to the disk. */
  async save(): Promise<void> {
    this.now();
    await Promise.all(this.putting);
  }

  /** Forgets the draft. */
  drop(): void {
    this.calm();
    forgetDraft(this.options, () => this.names());
  }

  /** Forgets the draft of a published post, unless something else has been written since. */
  dropPosted(asked: Asked | null): void {
    this.calm();
    const kept = readDraft(this.options.storage, this.options.userId);
    if (kept === null || kept.asked?.key === asked?.key) forgetDraft(this.options, () => this.names());
  }

  private names(): string[] {
    return this.options.content()?.pictures.map((note) => note.upload) ?? [];
  }

  private readonly whenHidden = (): void => {
    if (document.visibilityState === "hidden") this.now();
  };

  private calm(): void {
    this.options.clock.cancel(this.timer);
    this.timer = null;
  }
}

/** Deletes a user's draft, also when no tab is writing; `kept` names the pictures added since. */
export function forgetDraft(
  { userId, storage, pictureStore }: Pick<DraftSaverOptions, "userId" | "storage" | "pictureStore">,
  kept: () => string[] = () => [],
): void {
  dropDraft(storage, userId);
  void pictureStore.tidy(userId, kept);
}
