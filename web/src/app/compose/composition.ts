// A post while it is written and sent: its text, pictures and audience, the draft that saves them, and the
// sending. The screen shows this state and decides nothing by itself.
//
// Promises: nothing is posted before every picture is uploaded; a composed post is posted once, whatever
// happens to the page meanwhile; no text is lost unless the user discards it.

import { PostRequest } from "../../features/posts/publish";
import { TAG_CHARS_MAX, TEXT_CHARS_MAX, TITLE_CHARS_MAX } from "../../features/posts/api";
import { DraftSaver } from "../../features/drafts/draftSaver";
import type { TextStore } from "../../features/drafts/draft";
import { draftKey } from "../../features/drafts/key";
import { readDraft } from "../../features/drafts/draft";
import { DraftLock, draftLockName } from "../../features/drafts/draftLock";
import type { Kept } from "../../features/drafts/draftSaver";
import type { DraftLockOptions } from "../../features/drafts/draftLock";
import type { PictureStore } from "../../features/drafts/pictureStore";
import { Pictures } from "../../features/uploads/chosen";
import type { PicturesOptions } from "../../features/uploads/chosen";
import { GROUP_GONE, everyone } from "../../features/shared/groups/useAudiences";
import { noWords } from "../../features/shared/postDraft";
import type { Draft, PictureNote, Words } from "../../features/shared/postDraft";
import { countOf, isBlank, tidyLine, tidyTag, tidyText } from "../../features/shared/text";
import type { Ask } from "../../engine/ask";
import { KEY_MS, RefusedError } from "../../engine/ask";
import type { Clock } from "../../engine/clock";
import type { Audience } from "../../engine/types.gen";
import { underway } from "./sendingPosts";

/** How far the bar is when all pictures are with the server, before the save, and at the end. */
const SENT_AT = 80;
const SAVING_AT = 90;
const DONE_AT = 100;
/** How often the server may have freed pictures that were sent, before the post fails. */
const ROUNDS_MAX = 3;

export type Field = keyof Words | "audience" | "pictures";

export type Composing = {
  /** `opening`: it is not known yet whether this tab writes. `elsewhere`: another tab writes. `left`: it was saved or discarded. */
  phase: "opening" | "elsewhere" | "writing" | "sending" | "saving" | "posted" | "left";
  words: Words;
  audience: Audience;
  /** A draft was restored. `isLost`: without some of its pictures. `wasAsked`: the post may be published already. */
  restored: { isLost: boolean; wasAsked: boolean } | null;
  /** A draft was deleted and can still be had back. */
  canUndo: boolean;
  errors: Partial<Record<Field, string | undefined>>;
  /** Pictures have no description and the person has not said that this is fine. */
  isAsking: boolean;
  /** What the other tab keeps, and whether it is posting. */
  elsewhere: { draft: Draft | null; isPosting: boolean };
  /** The progress of the sending, from 0 to 100. */
  percent: number;
};

export type CompositionOptions = {
  userId: number;
  /** The tag that the address brings. */
  tag: string;
  ask: Ask;
  clock: Clock;
  storage: TextStore;
  pictureStore: PictureStore;
  locks: DraftLockOptions["locks"];
  channel(name: string): DraftLockOptions["channel"];
  judge?: PicturesOptions["judge"];
  /** Whether the person can still share with these people. */
  mayShareWith(audience: Audience): boolean;
  /** It is published. */
  posted(): void;
  /** It was not posted, and no field is to blame. */
  failed(): void;
};

export class Composition {
  readonly pictures: Pictures;
  private readonly saver: DraftSaver;
  private lock: DraftLock | null = null;
  /** A screen shows it. */
  private isShown = false;
  private composed = new PostRequest();
  private view: Composing;
  private readonly watchers = new Set<() => void>();
  /** Counts changes, so that a picture that is tried again posts nothing that was altered meanwhile. */
  private version = 0;
  private sharedVersion = -1;
  private openedVersion = -1;
  private undescribedAreFine = false;
  /** When Share Post was pressed, until it is out or back. */
  private sharedAtMs: number | null = null;
  /** Nobody pressed Share Post on this page. */
  private isOfEarlierPage = false;
  /** What was deleted last, with its pictures. */
  private deleted: { draft: Draft; blobs: Map<string, Blob> } | null = null;
  /** While the person is asked whether to leave, nothing is posted. */
  private postingPause: { wait: Promise<void>; open(): void } | null = null;

  /** The tag that the address brought. */
  private tag: string;

  constructor(private readonly options: CompositionOptions) {
    this.tag = options.tag;
    const { userId, storage, pictureStore, clock, ask, judge } = options;
    this.view = {
      phase: "opening",
      words: { ...noWords, tag: options.tag },
      audience: everyone,
      restored: null,
      canUndo: false,
      errors: {},
      isAsking: false,
      elsewhere: { draft: null, isPosting: false },
      percent: 0,
    };
    this.saver = new DraftSaver({ userId, storage, pictureStore, clock, content: () => this.content() });
    this.pictures = new Pictures({
      ask,
      clock,
      ...(judge && { judge }),
      changed: () => this.changed("pictures"),
      keep: (upload, blob) => this.saver.keepPicture(upload, blob),
      drop: () => this.saver.dropPictures(),
    });
    this.pictures.watch(() => {
      if (this.progress !== this.view.percent) this.set({});
    });
  }

  readonly get = (): Composing => this.view;

  readonly watch = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  };

  /** The screen is there. Returns the way to say that it no longer is. */
  start(): () => void {
    this.isShown = true;
    const lock = this.lock ?? this.startLock();
    const onShow = (): void => {
      if (document.visibilityState === "visible") lock.ask();
    };
    const onStorage = ({ key }: StorageEvent): void => {
      if (this.view.phase === "elsewhere") this.readElsewhere();
      // What the other tab saved last may arrive after its lock.
      else if (key === draftKey(this.options.userId) && this.isUntouched) void this.acquired(lock);
    };
    document.addEventListener("visibilitychange", onShow);
    addEventListener("storage", onStorage);
    return () => {
      document.removeEventListener("visibilitychange", onShow);
      removeEventListener("storage", onStorage);
      this.isShown = false;
      this.saver.now();
      // A post that is being sent keeps its lock until it is answered, whether or not a screen shows it.
      if (underway.get(this.options.userId) !== this) this.close();
    };
  }

  /** Without a screen: sends what an earlier page shared, or leaves it to the tab that writes it. */
  goOn(): void {
    const { userId } = this.options;
    underway.set(userId, this);
    const unwatch = this.watch(() => {
      const { phase } = this.view;
      if (phase === "opening") return;
      unwatch();
      if (phase === "sending" || this.isShown) return;
      underway.delete(userId);
      this.close();
    });
    this.startLock();
  }

  private startLock(): DraftLock {
    const { userId, locks, channel, clock } = this.options;
    const name = draftLockName(userId);
    const lock = new DraftLock({
      name,
      locks,
      channel: channel(name),
      clock,
      mine: () => void this.acquired(lock),
      other: () => this.standBy(),
      isEmpty: () => this.view.phase === "writing" && this.content() === null,
      handOver: () => this.handOver(),
      busy: () => this.set({ elsewhere: { ...this.view.elsewhere, isPosting: true } }),
      dropped: () => this.droppedElsewhere(),
      sent: (key) => this.sentAgain(key),
    });
    this.lock = lock;
    lock.start();
    return lock;
  }

  private close(): void {
    this.saver.stop();
    this.lock?.leave();
    this.lock = null;
    this.pictures.stop();
  }

  /** True while leaving would lose something or cut it off. */
  get isUnsaved(): boolean {
    return (this.view.phase === "writing" || this.view.phase === "sending") && this.content() !== null;
  }

  /** Nothing was written here since the draft was opened. */
  private get isUntouched(): boolean {
    return this.view.phase === "writing" && this.version === this.openedVersion;
  }

  get isOver(): boolean {
    const { title, text, tag } = this.counts;
    return title > TITLE_CHARS_MAX || text > TEXT_CHARS_MAX || tag > TAG_CHARS_MAX || this.pictures.isOver;
  }

  get counts(): Record<keyof Words, number> {
    const { title, text, tag } = this.view.words;
    return { title: countOf(tidyLine(title)), text: countOf(tidyText(text)), tag: countOf(tidyTag(tag)) };
  }

  private get progress(): number {
    const { phase } = this.view;
    if (phase === "posted") return DONE_AT;
    if (phase === "saving") return SAVING_AT;
    return Math.floor(SENT_AT * this.pictures.share);
  }

  write(field: keyof Words, value: string): void {
    this.set({ words: { ...this.view.words, [field]: value } });
    this.changed(field);
  }

  choose(audience: Audience): void {
    this.set({ audience });
    this.changed("audience");
  }

  /** Share Post was pressed. Returns the field that needs mending first. */
  share(undescribedAreFine = false): Field | null {
    if (this.view.phase !== "writing" || this.isOver) return null;
    this.undescribedAreFine ||= undescribedAreFine;
    if (isBlank(this.view.words.text)) {
      this.set({ errors: { text: "Post text is required" } });
      return "text";
    }
    // It is never shared with more people than were chosen.
    if (!this.options.mayShareWith(this.view.audience)) {
      this.set({ errors: { audience: GROUP_GONE } });
      return "audience";
    }
    if (this.pictures.isAdding) {
      void this.shareAdded(undescribedAreFine);
      return null;
    }
    if (this.pictures.undescribed.length > 0 && !this.undescribedAreFine) {
      this.set({ isAsking: true });
      return null;
    }
    this.set({ isAsking: false, errors: {}, canUndo: false });
    this.deleted = null;
    this.pictures.forgetMissing();
    this.sharedVersion = this.version;
    void this.send();
    return null;
  }

  /** Shares once the pictures that are still being looked at have been taken in; the form is locked until then. */
  private async shareAdded(undescribedAreFine: boolean): Promise<void> {
    this.set({ phase: "sending" });
    await this.pictures.added();
    await this.postingPause?.wait;
    if (this.view.phase !== "sending") return;
    this.set({ phase: "writing" });
    this.share(undescribedAreFine);
  }

  /** The person would rather describe the pictures. */
  describeFirst(): void {
    this.set({ isAsking: false });
  }

  /** Sends one picture again; where nothing else has changed since Share Post, the post goes with it. */
  retry(upload: string): void {
    if (this.view.phase === "writing") void this.send(upload);
    // Others are still on their way, and it joins them.
    else if (this.view.phase === "sending") this.pictures.retry(upload);
  }

  /** Nothing is posted until the person has said whether to leave. */
  holdPosting(): void {
    if (this.postingPause !== null) return;
    let open = (): void => undefined;
    const wait = new Promise<void>((resolve) => {
      open = resolve;
    });
    this.postingPause = { wait, open };
  }

  goOnPosting(): void {
    this.postingPause?.open();
    this.postingPause = null;
  }

  /** Keeps everything and stops here. */
  async save(): Promise<void> {
    this.halt();
    await this.saver.save();
    this.saver.stop();
  }

  /** Throws everything away and stops here. */
  discard(): void {
    this.halt();
    this.saver.stop();
    this.saver.drop();
    this.pictures.clear();
  }

  /** Deletes the restored draft and starts afresh, with the tag that the address brings. */
  startFresh(tag: string): void {
    this.tag = tag;
    const draft = this.content();
    const blobs = new Map(this.pictures.get().pictures.map((one) => [one.upload, one.blob]));
    this.deleted = draft === null ? null : { draft, blobs };
    this.pictures.clear();
    this.composed = new PostRequest();
    this.saver.drop();
    this.set({
      words: { ...noWords, tag },
      audience: everyone,
      restored: null,
      errors: {},
      canUndo: draft !== null,
    });
    this.version += 1;
  }

  /** Has the deleted draft back. */
  undo(): void {
    if (this.deleted === null) return;
    const { draft, blobs } = this.deleted;
    this.deleted = null;
    this.put(draft, blobs);
    for (const [upload, blob] of blobs) this.saver.keepPicture(upload, blob);
    this.saver.now();
  }

  /** The person wants to write here and not in the other tab. */
  continueHere(): void {
    this.set({ elsewhere: { ...this.view.elsewhere, isPosting: false } });
    this.lock?.claim();
  }

  private async acquired(lock: DraftLock): Promise<void> {
    const { version } = this;
    const kept = await this.saver.open();
    // What was written while the draft was read again stays.
    if (this.view.phase === "writing" && this.version !== version) return;
    if (this.lock !== lock || ["saving", "posted", "left"].includes(this.view.phase)) return;
    if (kept !== null) this.put(kept.draft, kept.blobs);
    // What stood here before was handed to another tab, and has gone with it.
    else this.empty();
    this.saver.start();
    this.openedVersion = this.version;
    if (kept !== null && this.goesOn(kept)) {
      this.isOfEarlierPage = true;
      this.sharedAtMs = kept.draft.sharedAtMs;
      this.sharedVersion = this.version;
      void this.send();
    } else this.set({ phase: "writing" });
  }

  /** An earlier page shared it and was closed. The server knows its key for a day, and a picture that is lost is not left out unasked. */
  private goesOn({ draft: { sharedAtMs, pictures }, blobs }: Kept): boolean {
    const isFresh = sharedAtMs !== null && this.options.clock.now() - sharedAtMs < KEY_MS;
    return isFresh && pictures.every(({ upload }) => blobs.has(upload));
  }

  private empty(): void {
    this.composed = new PostRequest();
    this.pictures.restore([], new Map());
    this.set({ words: { ...noWords, tag: this.tag }, audience: everyone, restored: null });
  }

  private put(draft: Draft, blobs: ReadonlyMap<string, Blob>): void {
    this.composed = new PostRequest(draft.asked);
    this.pictures.restore(draft.pictures, blobs);
    const isLost = draft.pictures.some((note) => !blobs.has(note.upload));
    const wasAsked = this.composed.wasAsked(draft.words, draft.audience, draft.pictures);
    this.set({
      words: draft.words,
      audience: draft.audience,
      restored: { isLost, wasAsked },
      canUndo: false,
    });
  }

  private standBy(): void {
    if (this.view.phase === "left") return;
    this.saver.stop();
    this.pictures.stop();
    this.set({
      phase: "elsewhere",
      restored: null,
      errors: {},
      isAsking: false,
      elsewhere: { draft: null, isPosting: false },
    });
    this.goOnPosting();
    this.readElsewhere();
  }

  private readElsewhere(): void {
    const draft = readDraft(this.options.storage, this.options.userId);
    this.set({ elsewhere: { ...this.view.elsewhere, draft } });
  }

  private async handOver(): Promise<boolean> {
    if (this.view.phase !== "writing") return false;
    await this.saver.save();
    return this.view.phase === "writing";
  }

  /** Another tab logged out and threw the draft away: it must not come back from here. */
  private droppedElsewhere(): void {
    this.saver.stop();
    if (this.view.phase === "elsewhere") this.readElsewhere();
    else this.saver.drop();
  }

  private changed(field: Field): void {
    this.version += 1;
    if (field === "pictures") this.undescribedAreFine = false;
    this.deleted = null;
    this.set({ errors: { ...this.view.errors, [field]: undefined }, canUndo: false });
    this.saver.touch();
  }

  /** The restored post goes out by itself. What was altered since is another post, and stays. */
  private sentAgain(key: string): void {
    if (this.view.phase === "elsewhere") this.readElsewhere();
    if (this.view.phase !== "writing" || this.composed.asked?.key !== key) return;
    const { words, audience } = this.view;
    if (this.composed.wasAsked(words, audience, this.pictures.kept())) this.empty();
    else this.saver.now();
  }

  /** What there is to keep; a tag that only the address brought is nothing. */
  private content(): Draft | null {
    const { phase, words, audience } = this.view;
    if (phase === "posted") return null;
    const pictures = this.pictures.kept();
    const hasTag = words.tag.trim() !== "" && words.tag !== this.tag;
    if (words.title.trim() === "" && words.text.trim() === "" && !hasTag && pictures.length === 0)
      return null;
    // Without pictures it is asked for at once, and kept as a request.
    const sharedAtMs = pictures.length > 0 && isOnItsWay(phase) ? this.sharedAtMs : null;
    return { words, audience, pictures, asked: this.composed.asked, sharedAtMs };
  }

  private async send(only?: string): Promise<void> {
    await this.sendAll(only);
    if (underway.get(this.options.userId) === this) underway.delete(this.options.userId);
    if (!this.isShown) this.close();
  }

  private async sendAll(only?: string): Promise<void> {
    const { words, audience } = this.view;
    const described = (): PictureNote[] => this.pictures.notes();
    this.sharedAtMs ??= this.options.clock.now();
    this.set({ phase: "sending" });
    // Keys and names are on the disk before anything is sent.
    this.saver.now();
    let mayStand = only === undefined && this.composed.wasAsked(words, audience, described());
    for (let round = 1; ; round += 1) {
      if (!mayStand && !(await this.pictures.send(round === 1 ? only : undefined))) return this.pause();
      await this.postingPause?.wait;
      if (this.view.phase !== "sending") return;
      // What was altered since Share Post, be it by taking a picture out, waits for the next press.
      if (this.version !== this.sharedVersion) return this.pause();
      this.composed.prepare(words, audience, described());
      underway.set(this.options.userId, this);
      this.set({ phase: "saving" });
      this.saver.now();
      try {
        await this.composed.post(words, audience, described());
        break;
      } catch (error) {
        const isGone = error instanceof RefusedError && error.code === "upload_gone";
        if (!isGone || round === ROUNDS_MAX) return this.refused(error);
        this.pictures.doubt();
        mayStand = false;
        this.set({ phase: "sending" });
      }
    }
    this.saver.stop();
    this.saver.dropPosted(this.composed.asked);
    this.options.posted();
    if (!this.isOfEarlierPage || !this.isShown) return this.set({ phase: "posted" });
    // The composer was opened to write, and not for the post of an earlier page.
    this.empty();
    this.saver.start();
    this.backToWriting();
  }

  /** Back to writing, with everything as it was. */
  private pause(): void {
    if (this.view.phase !== "sending") return;
    this.backToWriting();
    // The user left while it was being saved, so a toast says that it failed.
    if (!this.isShown && underway.get(this.options.userId) === this) this.options.failed();
  }

  private backToWriting(): void {
    this.sharedAtMs = null;
    this.isOfEarlierPage = false;
    this.set({ phase: "writing" });
    this.saver.now();
  }

  private refused(error: unknown): void {
    // Another tab took the lock meanwhile, and the draft with it.
    if (this.view.phase !== "saving") return;
    this.backToWriting();
    if (!(error instanceof RefusedError)) return this.options.failed();
    if (error.code === "abandoned") return;
    // The only thing it names that may not be there is its group.
    const isGroupGone = error.code === "not_found" && this.view.audience.type === "group";
    if (isField(error.field) || isGroupGone) {
      this.set({
        errors: isField(error.field) ? { [error.field]: error.message } : { audience: GROUP_GONE },
      });
      if (!this.isShown) this.options.failed();
      return;
    }
    // Why, when the server gave a reason that waiting can mend.
    if (error.retryMs !== null && error.message !== "")
      this.set({ errors: { text: `${error.message} Your words are kept.` } });
    this.options.failed();
  }

  private halt(): void {
    this.set({ phase: "left" });
    if (underway.get(this.options.userId) === this) underway.delete(this.options.userId);
    this.pictures.stop();
    this.goOnPosting();
  }

  private set(more: Partial<Composing>): void {
    const was = this.view;
    this.view = { ...was, ...more };
    // Within one sending the bar never goes back.
    const goesOn = isOnItsWay(was.phase) && isOnItsWay(this.view.phase);
    this.view.percent = goesOn ? Math.max(was.percent, this.progress) : this.progress;
    for (const watcher of this.watchers) watcher();
  }
}

const isOnItsWay = (phase: Composing["phase"]): boolean =>
  phase === "sending" || phase === "saving" || phase === "posted";

const isField = (field: string | null): field is Field =>
  field === "title" || field === "text" || field === "tag" || field === "audience" || field === "pictures";
