// Saves the post that is being written: its text in local storage, its pictures in the browser's database.
//
// Promises: the post is saved three seconds after the last change, and at once when the page is hidden or
// closed. A draft without text and pictures is not saved. The text is saved even if there is no space for the
// pictures.

import type { Clock, Timer } from "../../engine/clock";
import type { Asked, Draft } from "../shared/postDraft";
import { dropDraft, readDraft, writeDraft } from "./draft";
import type { TextStore } from "../../storage";
import type { PictureStore } from "./pictureStore";

export const AUTOSAVE_MS = 3_000;

export type DraftSaverOptions = {
  userId: number;
  storage: TextStore;
  pictureStore: PictureStore;
  clock: Clock;
  /** Returns the draft to save; null if there is nothing to save. */
  content(): Draft | null;
};

export type SavedDraft = { draft: Draft; blobs: ReadonlyMap<string, Blob> };

export class DraftSaver {
  private timer: Timer | null = null;
  private readonly putting = new Set<Promise<unknown>>();
  private on = false;

  constructor(private readonly options: DraftSaverOptions) {}

  /** Returns the saved draft and its pictures. Deletes pictures that belong to no draft. */
  async open(): Promise<SavedDraft | null> {
    const { userId, storage, pictureStore } = this.options;
    const draft = readDraft(storage, userId);
    const names = draft?.pictures.map((note) => note.upload) ?? [];
    const blobs = await pictureStore.get(userId, names);
    void pictureStore.tidy(userId, () => [...names, ...this.names()]);
    // The draft may have changed while its pictures were read: its post was sent, or another tab saved last.
    const now = readDraft(storage, userId);
    if (now !== null && JSON.stringify(now) !== JSON.stringify(draft)) return this.open();
    return now === null || draft === null ? null : { draft, blobs };
  }

  /** Starts saving. */
  start(): void {
    if (this.on) return;
    this.on = true;
    addEventListener("pagehide", this.now);
    addEventListener("beforeunload", this.now);
    document.addEventListener("visibilitychange", this.whenHidden);
  }

  /** Stops saving. The saved draft stays. */
  stop(): void {
    this.on = false;
    this.calm();
    removeEventListener("pagehide", this.now);
    removeEventListener("beforeunload", this.now);
    document.removeEventListener("visibilitychange", this.whenHidden);
  }

  /** The draft changed. It is saved after a pause in typing. */
  touch(): void {
    if (!this.on) return;
    this.calm();
    this.timer = this.options.clock.after(AUTOSAVE_MS, this.now);
  }

  /** Saves the text at once. */
  readonly now = (): void => {
    this.calm();
    if (!this.on) return;
    const { userId, storage, content } = this.options;
    const draft = content();
    if (draft === null) dropDraft(storage, userId);
    else writeDraft(storage, userId, draft);
  };

  /** Saves a picture, and then the draft. */
  keepPicture(upload: string, blob: Blob): void {
    const { userId, pictureStore } = this.options;
    const put = pictureStore.put(userId, upload, blob).then(() => this.now());
    this.putting.add(put);
    void put.finally(() => this.putting.delete(put));
  }

  /** Deletes pictures that are no longer part of the draft. */
  dropPictures(): void {
    void this.options.pictureStore.tidy(this.options.userId, () => this.names());
  }

  /** Saves the text at once, and waits until all pictures are saved. */
  async save(): Promise<void> {
    this.now();
    await Promise.all(this.putting);
  }

  /** Deletes the draft. */
  drop(): void {
    this.calm();
    forgetDraft(this.options, () => this.names());
  }

  /** Deletes the draft of a created post, unless something else was written since. */
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

/** Deletes a user's draft, also if no tab has it open. Pictures that `kept` names stay. */
export function forgetDraft(
  { userId, storage, pictureStore }: Pick<DraftSaverOptions, "userId" | "storage" | "pictureStore">,
  kept: () => string[] = () => [],
): void {
  dropDraft(storage, userId);
  void pictureStore.tidy(userId, kept);
}
