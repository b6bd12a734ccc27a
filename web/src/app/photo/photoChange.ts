// A change of the viewer's own photo. The file is checked here, uploaded like any picture, and then set.
//
// Promises: one change is sent at a time, and the user may leave the page meanwhile; after a lost connection
// the upload continues where it was; a failed change is kept for another try, which sets the photo once.

import { say } from "../../say";
import type { Judged } from "../../features/uploads/pick";
import { judge, mayBeAnimated, photoRule } from "../../features/uploads/pick";
import { StoppedError, Upload, UploadFailedError, oneByOne } from "../../features/uploads/upload";
import { client } from "../../engine/client";
import { bytesOf, hexOf } from "../../features/shared/postDraft";
import type { PictureNote } from "../../features/shared/postDraft";
import { loadProfile } from "../../features/shared/people/profiles";
import { store, update } from "../../engine/store";
import { announce } from "../../ui/announce";
import { toast } from "../../ui/toast";
import type { Ask } from "../../engine/ask";
import { RefusedError } from "../../engine/ask";
import { realClock } from "../../engine/clock";
import type { Clock } from "../../engine/clock";
import type { Ok } from "../../engine/frames";
import { newKey } from "../../engine/keys";

export type PhotoView = {
  /** `shown`: the new photo is set. The preview is shown until the browser has fetched the photo. */
  phase: "none" | "looking" | "sending" | "shown";
  preview: string | null;
  /** How much is uploaded, from 0 to 100. */
  percent: number;
  /** What is wrong with the file, or why the upload failed. */
  error: string | null;
  /** The same file can be sent again. */
  canRetry: boolean;
};

export const noPhotoView: PhotoView = {
  phase: "none",
  preview: null,
  percent: 0,
  error: null,
  canRetry: false,
};

const FAILED = "Error uploading image. Please try again.";
/** Refusals that concern the file. Sending it again does not help. */
const OF_THE_FILE = ["picture_too_large", "not_a_picture"];
/** How many times a file is sent if the server deletes the upload before the photo is set. */
const ROUNDS_MAX = 3;

export type PhotoChangeOptions = {
  ask: Ask;
  clock: Clock;
  changed(ok: Ok<"profiles.set_photo">): void;
  /** Resolves when the browser has the photo at this address. */
  fetched(url: string): Promise<void>;
  judge?(file: File): Promise<Judged>;
};

type Sending = { upload: Upload; name: ArrayBuffer; key: ArrayBuffer };

export class PhotoChange {
  private view = noPhotoView;
  private sending: Sending | null = null;
  /** Counts chosen files, so that results for an earlier file are ignored. */
  private round = 0;
  private readonly watchers = new Set<() => void>();
  private readonly inTurn = oneByOne();

  constructor(private readonly options: PhotoChangeOptions) {}

  readonly get = (): PhotoView => this.view;

  readonly watch = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  };

  /** Checks a file and sends it. */
  async choose(file: File): Promise<void> {
    this.round += 1;
    const { round } = this;
    this.sending?.upload.cancel();
    this.sending = null;
    this.show({ ...noPhotoView, phase: "looking" });
    const judged = await (this.options.judge ?? ((one) => judge(one, undefined, photoRule)))(file);
    if (round !== this.round) return;
    if (!judged.ok) {
      this.show({ ...noPhotoView, error: judged.message });
      return;
    }
    const { name, type, blob } = judged;
    const note: PictureNote = { upload: hexOf(newKey()), name, type, size: blob.size, index: 0, alt: "" };
    const upload = new Upload({
      note,
      blob,
      ask: this.options.ask,
      clock: this.options.clock,
      inTurn: this.inTurn,
      purpose: "photo",
      progressed: () => {
        if (round === this.round)
          this.show({
            ...this.view,
            percent: Math.floor((100 * Math.min(upload.acked, blob.size)) / Math.max(1, blob.size)),
          });
      },
    });
    this.sending = { upload, name: bytesOf(note.upload), key: newKey() };
    this.show({
      ...noPhotoView,
      phase: "sending",
      // An animated preview would play by itself.
      preview: mayBeAnimated(type) ? null : URL.createObjectURL(blob),
    });
    await this.send();
  }

  /** Sends the same file again. */
  async retry(): Promise<void> {
    if (this.sending === null || this.view.phase !== "none") return;
    this.show({ ...this.view, phase: "sending", error: null, canRetry: false });
    await this.send();
  }

  /** The page is left. An error about the file is cleared, because the user has seen it. */
  leave(): void {
    if (this.view.error !== null && !this.view.canRetry) this.show(noPhotoView);
  }

  /** The user has logged out. Nothing more is sent for this user. */
  stop(): void {
    this.round += 1;
    this.sending?.upload.stop();
    this.sending = null;
    this.show(noPhotoView);
  }

  private async send(): Promise<void> {
    const { round, sending } = this;
    if (sending === null) return;
    try {
      const ok = await this.put(sending);
      if (round !== this.round) return;
      this.sending = null;
      this.options.changed(ok);
      this.show({ ...this.view, phase: "shown", percent: 100 });
      if (ok.profile.photo_url !== null) await this.options.fetched(ok.profile.photo_url);
      if (round === this.round) this.show(noPhotoView);
    } catch (error) {
      if (round === this.round) this.failed(error);
    }
  }

  private async put({ upload, name, key }: Sending): Promise<Ok<"profiles.set_photo">> {
    for (let round = 1; ; round += 1) {
      await upload.send();
      try {
        return await this.options.ask("profiles.set_photo", { key, upload: name });
      } catch (error) {
        if (!(error instanceof RefusedError) || error.code !== "upload_gone" || round === ROUNDS_MAX)
          throw error;
        upload.doubt();
      }
    }
  }

  private failed(error: unknown): void {
    // The user has logged out, so no message is shown.
    if (error instanceof StoppedError || (error instanceof RefusedError && error.code === "abandoned")) {
      this.sending = null;
      this.show(noPhotoView);
      return;
    }
    const code = error instanceof UploadFailedError || error instanceof RefusedError ? error.code : null;
    const words = error instanceof Error && code !== null ? error.message : "";
    if (code !== null && OF_THE_FILE.includes(code)) {
      this.sending = null;
      this.show({ ...noPhotoView, error: words });
      return;
    }
    toast(say(FAILED), { error: true });
    this.show({
      ...this.view,
      phase: "none",
      error: words || say("Your new photo didn't get through. It's still here."),
      canRetry: true,
    });
  }

  private show(view: PhotoView): void {
    const { preview } = this.view;
    this.view = view;
    // A photo that is not set yet is only on this page, so the browser asks before the page is closed.
    const isOnItsWay = view.phase === "looking" || view.phase === "sending" || view.canRetry;
    if (isOnItsWay) addEventListener("beforeunload", stay);
    else removeEventListener("beforeunload", stay);
    if (preview !== null && preview !== view.preview) URL.revokeObjectURL(preview);
    for (const watcher of this.watchers) watcher();
  }
}

function stay(event: BeforeUnloadEvent): void {
  event.preventDefault();
  // Some browsers need this instead of the line above.
  event.returnValue = "";
}

const changes = new Map<number, PhotoChange>();

/** Returns this person's change that was begun on any page, or a new one. */
export function photoChangeOf(userId: number): PhotoChange {
  const begun = changes.get(userId);
  if (begun !== undefined) return begun;
  const change = new PhotoChange({
    ask: client.ask,
    clock: realClock,
    changed: (ok) => {
      update((s) => loadProfile(s, ok.profile, ok.seq));
      announce(say("Photo changed"));
    },
    fetched,
  });
  changes.set(userId, change);
  const leave = store.subscribe((s) => {
    if (s.session.me?.id === userId) return;
    leave();
    changes.delete(userId);
    change.stop();
  });
  return change;
}

async function fetched(url: string): Promise<void> {
  const image = new Image();
  image.src = url;
  // The photo is set all the same, and is shown as soon as the browser has it.
  await image.decode().catch(() => undefined);
}
