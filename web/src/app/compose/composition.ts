// A post while it is written and sent: its text, pictures and audience, the draft that saves them, and the
// sending. The screen shows this state and decides nothing by itself.
//
// Promises: a post is created only after every picture is uploaded; a composed post is created once, whatever
// happens to the page meanwhile; no text is lost unless the user discards it.

import { PostRequest, SAVING_AT } from "../../features/posts/publish";
import {
  CONTENT_NOTE_CHARS_MAX,
  TAG_CHARS_MAX,
  TEXT_CHARS_MAX,
  TITLE_CHARS_MAX,
} from "../../features/posts/api";
import { DraftSaver } from "../../features/drafts/draftSaver";
import type { TextStore } from "../../storage";
import { draftKey } from "../../features/drafts/key";
import { audienceAt, readDraft } from "../../features/drafts/draft";
import { DraftLock, draftLockName } from "../../features/drafts/draftLock";
import type { SavedDraft } from "../../features/drafts/draftSaver";
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
import { say } from "../../say";
import { sendingPosts } from "./sendingPosts";

/** The progress in percent when all pictures are uploaded, and at the end. */
const SENT_AT = 80;
const DONE_AT = 100;
/** How many times the pictures are sent, if the server deletes them meanwhile, before the post fails. */
const ROUNDS_MAX = 3;

export type Field = keyof Words | "audience" | "pictures";

export type Composing = {
  /**
   * `opening`: it is not known yet whether this tab has the draft. `elsewhere`: another tab has it. `left`:
   * the post was saved as a draft or discarded.
   */
  phase: "opening" | "elsewhere" | "writing" | "sending" | "saving" | "posted" | "left";
  words: Words;
  audience: Audience;
  /**
   * Set if a draft was restored. `isLost`: some of its pictures are missing. `wasAsked`: it may be posted
   * already.
   */
  restored: { isLost: boolean; wasAsked: boolean } | null;
  /** A draft was deleted and can still be restored. */
  canUndo: boolean;
  errors: Partial<Record<Field, string | undefined>>;
  /** Asks whether to post pictures without a description. */
  isAsking: boolean;
  /** The draft that the other tab saved last, and whether that tab is posting. */
  elsewhere: { draft: Draft | null; isPosting: boolean };
  /** The progress of sending, from 0 to 100. */
  percent: number;
};

export type CompositionOptions = {
  userId: number;
  /** The tag in the address of the page. */
  tag: string;
  /** The audience in the address of the page. Without it a new post is for everyone. */
  audience?: Audience;
  ask: Ask;
  clock: Clock;
  storage: TextStore;
  pictureStore: PictureStore;
  locks: DraftLockOptions["locks"];
  channel(userId: number): DraftLockOptions["channel"];
  judge?: PicturesOptions["judge"];
  /** Returns whether the person may still share with this audience. */
  mayShareWith(audience: Audience): boolean;
  /** Called when the post is created. */
  posted(): void;
  /** Called when the post failed and no field on screen shows why. */
  failed(): void;
};

export class Composition {
  readonly pictures: Pictures;
  private readonly saver: DraftSaver;
  private lock: DraftLock | null = null;
  /** A screen shows this composition. */
  private isShown = false;
  private composed = new PostRequest();
  private view: Composing;
  private readonly watchers = new Set<() => void>();
  /** Counts changes, so that the retry of a picture does not post a text that was changed meanwhile. */
  private version = 0;
  private sharedVersion = -1;
  private openedVersion = -1;
  private undescribedAreFine = false;
  /** When Share Post was pressed; null once the post is created or is back in the composer. */
  private sharedAtMs: number | null = null;
  /** Share Post was pressed on an earlier page, not on this one. */
  private isOfEarlierPage = false;
  /** The draft that was deleted last, with its pictures. */
  private deleted: { draft: Draft; blobs: Map<string, Blob> } | null = null;
  /** Holds back posting while the leave guard asks. */
  private postingPause: { wait: Promise<void>; open(): void } | null = null;

  /** The tag and the audience of the address that the composer was opened with. */
  private tag: string;
  private audience: Audience;

  constructor(private readonly options: CompositionOptions) {
    this.tag = options.tag;
    this.audience = options.audience ?? everyone;
    const { userId, storage, pictureStore, clock, ask, judge } = options;
    this.view = {
      phase: "opening",
      words: { ...noWords, tag: options.tag },
      audience: this.audience,
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

  /** Called when a screen shows this composition. Returns a function to call when the screen is gone. */
  start(): () => void {
    this.isShown = true;
    const lock = this.lock ?? this.startLock();
    const onShow = (): void => {
      if (document.visibilityState === "visible") lock.ask();
    };
    const onStorage = ({ key }: StorageEvent): void => {
      if (this.view.phase === "elsewhere") this.readElsewhere();
      // The last save of the other tab may arrive after its lock, so the draft is read again.
      else if (key === draftKey(this.options.userId) && this.isUntouched) void this.acquired(lock);
    };
    document.addEventListener("visibilitychange", onShow);
    addEventListener("storage", onStorage);
    return () => {
      document.removeEventListener("visibilitychange", onShow);
      removeEventListener("storage", onStorage);
      this.isShown = false;
      this.saver.now();
      // A post that is being sent keeps its lock until the reply, even if no screen shows it.
      if (sendingPosts.get(this.options.userId) !== this) this.close();
    };
  }

  /**
   * Sends the post that an earlier page shared, without a screen. Does nothing if another tab has the draft.
   */
  goOn(): void {
    const { userId } = this.options;
    sendingPosts.set(userId, this);
    const unwatch = this.watch(() => {
      const { phase } = this.view;
      if (phase === "opening") return;
      unwatch();
      if (phase === "sending" || this.isShown) return;
      sendingPosts.delete(userId);
      this.close();
    });
    this.startLock();
  }

  private startLock(): DraftLock {
    const { userId, locks, channel, clock } = this.options;
    const lock = new DraftLock({
      name: draftLockName(userId),
      locks,
      channel: channel(userId),
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

  /** True while leaving the page would lose text or interrupt the sending. */
  get isUnsaved(): boolean {
    return (this.view.phase === "writing" || this.view.phase === "sending") && this.content() !== null;
  }

  /** Nothing was changed in this tab since the draft was opened. */
  private get isUntouched(): boolean {
    return this.view.phase === "writing" && this.version === this.openedVersion;
  }

  get isOver(): boolean {
    const { title, text, tag, content_note } = this.counts;
    return (
      title > TITLE_CHARS_MAX ||
      text > TEXT_CHARS_MAX ||
      tag > TAG_CHARS_MAX ||
      content_note > CONTENT_NOTE_CHARS_MAX ||
      this.pictures.isOver
    );
  }

  get counts(): Record<keyof Words, number> {
    const { title, text, tag, content_note } = this.view.words;
    return {
      title: countOf(tidyLine(title)),
      text: countOf(tidyText(text)),
      tag: countOf(tidyTag(tag)),
      content_note: countOf(tidyLine(content_note)),
    };
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

  /** Share Post was pressed. Returns the field with an error, or null. */
  share(undescribedAreFine = false): Field | null {
    if (this.view.phase !== "writing" || this.isOver) return null;
    this.undescribedAreFine ||= undescribedAreFine;
    if (isBlank(this.view.words.text)) {
      this.set({ errors: { text: say("Post text is required") } });
      return "text";
    }
    // A post for a deleted group is refused, so that it never becomes public.
    if (!this.options.mayShareWith(this.view.audience)) {
      this.set({ errors: { audience: say(GROUP_GONE) } });
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

  /** Shares after the pictures that are still being checked are added. The form is locked until then. */
  private async shareAdded(undescribedAreFine: boolean): Promise<void> {
    this.set({ phase: "sending" });
    await this.pictures.added();
    await this.postingPause?.wait;
    if (this.view.phase !== "sending") return;
    this.set({ phase: "writing" });
    this.share(undescribedAreFine);
  }

  /** The person wants to describe the pictures first. */
  describeFirst(): void {
    this.set({ isAsking: false });
  }

  /** Sends one picture again. If nothing changed since Share Post, the post is created too. */
  retry(upload: string): void {
    if (this.view.phase === "writing") void this.send(upload);
    // The other pictures are still being sent.
    else if (this.view.phase === "sending") this.pictures.retry(upload);
  }

  /** Holds back posting until the person has said whether to leave. */
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

  /** Saves everything as a draft and ends this composition. */
  async save(): Promise<void> {
    this.halt();
    await this.saver.save();
    this.saver.stop();
  }

  /** Deletes everything and ends this composition. */
  discard(): void {
    this.halt();
    this.saver.stop();
    this.saver.drop();
    this.pictures.clear();
  }

  /** Deletes the restored draft and starts an empty post with this tag and audience of the address. */
  startFresh(tag: string, audience: Audience): void {
    this.tag = tag;
    this.audience = audience;
    const draft = this.content();
    const blobs = new Map(this.pictures.get().pictures.map((one) => [one.upload, one.blob]));
    this.deleted = draft === null ? null : { draft, blobs };
    this.pictures.clear();
    this.composed = new PostRequest();
    this.saver.drop();
    this.set({
      words: { ...noWords, tag },
      audience,
      restored: null,
      errors: {},
      canUndo: draft !== null,
    });
    this.version += 1;
  }

  /** Restores the deleted draft. */
  undo(): void {
    if (this.deleted === null) return;
    const { draft, blobs } = this.deleted;
    this.deleted = null;
    this.put(draft, blobs);
    for (const [upload, blob] of blobs) this.saver.keepPicture(upload, blob);
    this.saver.now();
  }

  /** The person wants to continue in this tab instead of the other one. */
  continueHere(): void {
    this.set({ elsewhere: { ...this.view.elsewhere, isPosting: false } });
    this.lock?.claim();
  }

  private async acquired(lock: DraftLock): Promise<void> {
    const { version } = this;
    const kept = await this.saver.open();
    // Text that was written while the draft was read again is kept.
    if (this.view.phase === "writing" && this.version !== version) return;
    if (this.lock !== lock || ["saving", "posted", "left"].includes(this.view.phase)) return;
    if (kept !== null) this.put(kept.draft, kept.blobs);
    // The text in this tab was handed over to another tab, which has posted or deleted it.
    else this.empty();
    this.saver.start();
    this.openedVersion = this.version;
    if (kept !== null && this.goesOn(kept)) {
      this.isOfEarlierPage = true;
      this.sharedAtMs = kept.draft.sharedAtMs;
      this.sharedVersion = this.version;
      void this.send();
    } else this.set({ phase: "writing", ...(kept && { audience: audienceAt(this.audience, kept.draft) }) });
  }

  /**
   * Returns whether to send the draft that an earlier page shared before it was closed. After a day the
   * server no longer knows its key, and if a picture is lost, the person decides.
   */
  private goesOn({ draft: { sharedAtMs, pictures }, blobs }: SavedDraft): boolean {
    const isFresh = sharedAtMs !== null && this.options.clock.now() - sharedAtMs < KEY_MS;
    return isFresh && pictures.every(({ upload }) => blobs.has(upload));
  }

  private empty(): void {
    this.composed = new PostRequest();
    this.pictures.restore([], new Map());
    this.set({ words: { ...noWords, tag: this.tag }, audience: this.audience, restored: null });
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

  /** Another tab logged out and deleted the draft, so this tab must not save it again. */
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

  /** The restored post is being sent by itself. A text that was changed since is another post, and stays. */
  private sentAgain(key: string): void {
    if (this.view.phase === "elsewhere") this.readElsewhere();
    if (this.view.phase !== "writing" || this.composed.asked?.key !== key) return;
    const { words, audience } = this.view;
    if (this.composed.wasAsked(words, audience, this.pictures.kept())) this.empty();
    else this.saver.now();
  }

  /** The draft to save, or null. A tag that only the address brought is not worth a draft. */
  private content(): Draft | null {
    const { phase, words, audience } = this.view;
    if (phase === "posted") return null;
    const pictures = this.pictures.kept();
    const hasTag = words.tag.trim() !== "" && words.tag !== this.tag;
    const hasWords = [words.title, words.text, words.content_note].some((one) => one.trim() !== "");
    if (!hasWords && !hasTag && pictures.length === 0) return null;
    // A post without pictures is requested at once, and kept as a request (offline/offlineData.ts).
    const sharedAtMs = pictures.length > 0 && isOnItsWay(phase) ? this.sharedAtMs : null;
    return { words, audience, pictures, asked: this.composed.asked, sharedAtMs };
  }

  private async send(only?: string): Promise<void> {
    await this.sendAll(only);
    if (sendingPosts.get(this.options.userId) === this) sendingPosts.delete(this.options.userId);
    if (!this.isShown) this.close();
  }

  private async sendAll(only?: string): Promise<void> {
    const { words, audience } = this.view;
    const described = (): PictureNote[] => this.pictures.notes();
    this.sharedAtMs ??= this.options.clock.now();
    this.set({ phase: "sending" });
    // The keys and the names of the pictures are stored before anything is sent.
    this.saver.now();
    let mayStand = only === undefined && this.composed.wasAsked(words, audience, described());
    for (let round = 1; ; round += 1) {
      if (!mayStand && !(await this.pictures.send(round === 1 ? only : undefined))) return this.pause();
      await this.postingPause?.wait;
      if (this.view.phase !== "sending") return;
      // A post that was changed since Share Post, also by removing a picture, waits for the next press.
      if (this.version !== this.sharedVersion) return this.pause();
      this.composed.prepare(words, audience, described());
      sendingPosts.set(this.options.userId, this);
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
    // The post was of an earlier page, so the composer on this page becomes empty for the next one.
    this.empty();
    this.saver.start();
    this.backToWriting();
  }

  /** Returns to writing, with everything as it was. */
  private pause(): void {
    if (this.view.phase !== "sending") return;
    this.backToWriting();
    // The user has left the page, so a toast says that the post failed.
    if (!this.isShown && sendingPosts.get(this.options.userId) === this) this.options.failed();
  }

  private backToWriting(): void {
    this.sharedAtMs = null;
    this.isOfEarlierPage = false;
    this.set({ phase: "writing" });
    this.saver.now();
  }

  private refused(error: unknown): void {
    // Another tab has taken the lock and the draft meanwhile.
    if (this.view.phase !== "saving") return;
    this.backToWriting();
    if (!(error instanceof RefusedError)) return this.options.failed();
    if (error.code === "abandoned") return;
    // The group is the only thing in a post that the server may not find.
    const isGroupGone = error.code === "not_found" && this.view.audience.type === "group";
    if (isField(error.field) || isGroupGone) {
      this.set({
        errors: isField(error.field) ? { [error.field]: error.message } : { audience: say(GROUP_GONE) },
      });
      if (!this.isShown) this.options.failed();
      return;
    }
    // Shows the server's reason if waiting helps.
    if (error.retryMs !== null && error.message !== "")
      this.set({ errors: { text: say("{message} Your words are kept.", { message: error.message }) } });
    this.options.failed();
  }

  private halt(): void {
    this.set({ phase: "left" });
    if (sendingPosts.get(this.options.userId) === this) sendingPosts.delete(this.options.userId);
    this.pictures.stop();
    this.goOnPosting();
  }

  private set(more: Partial<Composing>): void {
    const was = this.view;
    this.view = { ...was, ...more };
    // The progress never goes back while sending.
    const goesOn = isOnItsWay(was.phase) && isOnItsWay(this.view.phase);
    this.view.percent = goesOn ? Math.max(was.percent, this.progress) : this.progress;
    for (const watcher of this.watchers) watcher();
  }
}

const isOnItsWay = (phase: Composing["phase"]): boolean =>
  phase === "sending" || phase === "saving" || phase === "posted";

const FIELDS: readonly string[] = ["title", "text", "tag", "content_note", "audience", "pictures"];
const isField = (field: string | null): field is Field => field !== null && FIELDS.includes(field);
