// The pictures of a post that is being written, in order. They can be chosen, described, moved and uploaded.
//
// Promises: a failed picture affects no other and keeps its description. Uploaded bytes are not sent again. A
// picture is uploaded while the server checks the one before it.

import type { Ask } from "../../engine/ask";
import type { Clock } from "../../engine/clock";
import { newKey } from "../../engine/keys";
import { many, say } from "../../say";
import { announce } from "../../ui/announce";
import { ALT_CHARS_MAX, PICTURES_MAX, bytesOf, hexOf } from "../shared/postDraft";
import type { PictureNote } from "../shared/postDraft";
import { countOf, isBlank, tidyLine } from "../shared/text";
import type { Judged } from "./pick";
import { judge, notAPicture, tooMany } from "./pick";
import { StoppedError, Upload, UploadFailedError, oneByOne } from "./upload";

export type Picture = PictureNote & {
  blob: Blob;
  state: "waiting" | "sending" | "sent" | "failed";
  /** Why it failed; null if it did not. */
  message: string | null;
};

export type Chosen = { pictures: readonly Picture[]; refusals: readonly string[] };

export type PicturesOptions = {
  ask: Ask;
  clock: Clock;
  /** Called when the pictures or their descriptions change, so that the draft is saved. */
  changed(): void;
  /** `keep` saves the bytes of a picture. `drop` deletes the bytes of removed pictures. */
  keep(upload: string, blob: Blob): void;
  drop(upload: string): void;
  judge?(file: File): Promise<Judged>;
};

export class Pictures {
  private now: Chosen = { pictures: [], refusals: [] };
  private readonly uploads = new Map<string, Upload>();
  private readonly watchers = new Set<() => void>();
  private readonly inTurn = oneByOne();
  /** Pictures of a restored draft whose bytes are lost. If chosen again, they get their descriptions back. */
  private missing: PictureNote[] = [];
  /** Pictures of a restored draft that the server may still hold. */
  private readonly before = new Set<string>();
  private adding: Promise<unknown> = Promise.resolve();
  /** How many choices of files are still being checked. */
  private looking = 0;
  /** Pictures that are being sent. */
  private readonly flying = new Set<Promise<void>>();

  constructor(private readonly options: PicturesOptions) {}

  readonly get = (): Chosen => this.now;

  readonly watch = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  };

  /** Checks and adds files, one after the other, up to the limit. */
  add(files: readonly File[]): Promise<void> {
    if (files.length === 0) return Promise.resolve();
    this.looking += 1;
    const added = this.adding
      .then(() => this.take(files))
      .finally(() => {
        this.looking -= 1;
      });
    // The caller handles the error, and the next files are added all the same.
    this.adding = added.catch(() => undefined);
    return added;
  }

  /** Whether chosen files are still being checked. */
  get isAdding(): boolean {
    return this.looking > 0;
  }

  /** Resolves when every file that was chosen so far is checked. */
  async added(): Promise<void> {
    await this.adding;
  }

  describe(upload: string, alt: string): void {
    this.change(upload, { alt });
    this.options.changed();
  }

  remove(upload: string): void {
    this.cancel(upload);
    this.set({ pictures: this.now.pictures.filter((one) => one.upload !== upload), refusals: [] });
    this.options.drop(upload);
    this.options.changed();
  }

  move(upload: string, by: -1 | 1): void {
    const pictures = [...this.now.pictures];
    const at = pictures.findIndex((one) => one.upload === upload);
    const moved = pictures[at];
    if (moved === undefined || at + by < 0 || at + by >= pictures.length) return;
    pictures.splice(at, 1);
    pictures.splice(at + by, 0, moved);
    this.set({ ...this.now, pictures });
    this.options.changed();
  }

  /** The browser cannot show the file, so it is no picture. Removes it. */
  reject(upload: string): void {
    const picture = this.find(upload);
    if (picture === undefined || picture.state === "sent") return;
    this.remove(upload);
    this.set({ ...this.now, refusals: [notAPicture(picture.name)] });
  }

  /** Restores the pictures of a draft. The descriptions of pictures without bytes are remembered. */
  restore(notes: readonly PictureNote[], blobs: ReadonlyMap<string, Blob>): void {
    const pictures: Picture[] = [];
    this.missing = [];
    this.uploads.clear();
    this.before.clear();
    for (const note of notes) {
      const blob = blobs.get(note.upload);
      this.before.add(note.upload);
      if (blob !== undefined) pictures.push({ ...note, blob, state: "waiting", message: null });
      else {
        this.missing.push(note);
        this.cancel(note.upload);
      }
    }
    this.set({ pictures, refusals: [] });
  }

  /**
   * Returns what a draft saves. This includes the descriptions of pictures whose bytes are lost, up to the
   * limit.
   */
  kept(): PictureNote[] {
    return [...this.notes(), ...this.missing].slice(0, PICTURES_MAX);
  }

  /** Forgets the descriptions of lost pictures. */
  forgetMissing(): void {
    this.missing = [];
  }

  /** Returns the pictures to post. */
  notes(): PictureNote[] {
    return this.now.pictures.map(({ upload, name, type, size, index, alt }) => ({
      upload,
      name,
      type,
      size,
      index,
      alt,
    }));
  }

  get undescribed(): Picture[] {
    return this.now.pictures.filter((one) => isBlank(one.alt));
  }

  get isOver(): boolean {
    return this.now.pictures.some((one) => countOf(tidyLine(one.alt)) > ALT_CHARS_MAX);
  }

  get areSent(): boolean {
    return this.now.pictures.every((one) => one.state === "sent");
  }

  /** How much of all pictures is uploaded, from 0 to 1. */
  get share(): number {
    const total = this.now.pictures.reduce((sum, one) => sum + one.blob.size, 0);
    const acked = this.now.pictures.reduce(
      (sum, one) => sum + Math.min(one.blob.size, this.uploads.get(one.upload)?.acked ?? 0),
      0,
    );
    return total === 0 ? 1 : acked / total;
  }

  /**
   * Sends the pictures that were not sent, or only the given one. Returns whether the server has all of them
   * then.
   */
  async send(only?: string): Promise<boolean> {
    await this.adding;
    const due = this.now.pictures.filter(
      (one) => one.state !== "sent" && (only === undefined || one.upload === only),
    );
    for (const picture of due) this.launch(picture);
    while (this.flying.size > 0) await Promise.all(this.flying);
    return this.areSent;
  }

  /** Sends a failed picture again, while others are still being sent. */
  retry(upload: string): void {
    const picture = this.find(upload);
    if (picture?.state === "failed") this.launch(picture);
  }

  private launch(picture: Picture): void {
    const flight = this.sendOne(picture).finally(() => this.flying.delete(flight));
    this.flying.add(flight);
  }

  /** The server may have deleted uploads. The next `send` checks this. */
  doubt(): void {
    for (const upload of this.uploads.values()) upload.doubt();
    this.set({
      ...this.now,
      pictures: this.now.pictures.map((one) => (one.state === "sent" ? { ...one, state: "waiting" } : one)),
    });
  }

  /** Stops sending. Nothing is lost. */
  stop(): void {
    for (const upload of this.uploads.values()) upload.stop();
  }

  /** Removes all pictures, also on the server. */
  clear(): void {
    for (const { upload } of this.now.pictures) this.cancel(upload);
    this.missing = [];
    this.set({ pictures: [], refusals: [] });
  }

  private cancel(name: string): void {
    const upload = this.uploads.get(name);
    const isOld = this.before.delete(name);
    if (upload !== undefined) upload.cancel();
    // An upload that is not cancelled ends by itself.
    else if (isOld) void this.options.ask("uploads.cancel", { upload: bytesOf(name) }).catch(() => undefined);
    this.uploads.delete(name);
  }

  private async take(files: readonly File[]): Promise<void> {
    const refusals: string[] = [];
    let added = 0;
    this.set({ ...this.now, refusals });
    for (const file of files) {
      if (this.now.pictures.length >= PICTURES_MAX) {
        refusals.push(say(tooMany));
        break;
      }
      const judged = await (this.options.judge ?? judge)(file);
      if (judged.ok) {
        this.put(judged, file.size);
        added += 1;
      } else refusals.push(judged.message);
    }
    this.set({ ...this.now, refusals: [...refusals] });
    // The file chooser keeps the focus, so nothing else says it. A refusal is read aloud where it is shown.
    if (added > 0) announce(many(added, "Picture added", "{n} pictures added"));
  }

  private put({ name, type, blob }: Extract<Judged, { ok: true }>, size: number): void {
    const upload = hexOf(newKey());
    const taken = new Set(this.now.pictures.map((one) => one.index));
    const index = [0, 1, 2, 3].find((free) => !taken.has(free)) ?? 0;
    const known = this.missing.find((note) => note.name === name && note.size === size);
    const picture: Picture = {
      upload,
      name,
      type,
      size,
      index,
      alt: known?.alt ?? "",
      blob,
      state: "waiting",
      message: null,
    };
    this.missing = this.missing.filter((note) => note !== known);
    this.set({ ...this.now, pictures: [...this.now.pictures, picture] });
    this.options.keep(upload, blob);
    this.options.changed();
  }

  private async sendOne({ upload: name }: Picture): Promise<void> {
    const picture = this.find(name);
    if (picture === undefined) return;
    const upload = this.uploads.get(name) ?? this.uploadOf(picture);
    this.uploads.set(name, upload);
    this.change(name, { state: "sending", message: null });
    try {
      await upload.send();
      this.change(name, { state: "sent" });
    } catch (error) {
      if (error instanceof StoppedError) this.change(name, { state: "waiting" });
      else
        this.change(name, {
          state: "failed",
          message:
            error instanceof UploadFailedError
              ? error.message
              : say("{name} didn't get through. It's still here.", { name: picture.name }),
        });
    }
  }

  private uploadOf(picture: Picture): Upload {
    const { ask, clock } = this.options;
    return new Upload({
      note: picture,
      blob: picture.blob,
      ask,
      clock,
      inTurn: this.inTurn,
      progressed: () => this.notify(),
    });
  }

  private find(upload: string): Picture | undefined {
    return this.now.pictures.find((one) => one.upload === upload);
  }

  private change(upload: string, what: Partial<Picture>): void {
    this.set({
      ...this.now,
      pictures: this.now.pictures.map((one) => (one.upload === upload ? { ...one, ...what } : one)),
    });
  }

  private set(now: Chosen): void {
    this.now = now;
    this.notify();
  }

  private notify(): void {
    for (const watcher of this.watchers) watcher();
  }
}
