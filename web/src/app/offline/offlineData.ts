// What this browser keeps for a person: the newest page of Your Space, and requests without an answer.
//
// Promises: a comment, vote, follow, mood or post without pictures is kept with its key from the press until
// it is answered. It is sent once, in order, when the person is online in this browser. A request that was
// refused or waited too long is not sent again: its text waits under Not sent, and a request without text is
// deleted. All of this is deleted at log-out, or when another person logs in. The feed is also deleted when
// the login ends.

import type { Client } from "../../engine/client";
import type { RefusedError } from "../../engine/ask";
import type { Fields, Op } from "../../engine/frames";
import { withSession } from "../../engine/feature";
import type { Id } from "../../engine/state";
import { readHint } from "../../engine/loginHint";
import { without } from "../../engine/state";
import type { NotSent } from "../../features/shared/kept";
import { hexOf } from "../../features/shared/postDraft";
import { askedBefore } from "./askedBefore";
import { feedOf, shownFeed } from "./feed";
import type { Feed } from "./feed";
import type { Database } from "./database";
import { sendAgain } from "./sendAgain";

/** The requests that are kept: what people do while they read and write. */
const OPS = ["comments.create", "votes.set", "follows.set", "moods.set", "posts.create"] as const;
export const SAVE_FEED_MS = 1_000;

export type KeptOp = (typeof OPS)[number];

/**
 * A kept request. They are sent in the order of `nth`. One with a `reason` failed and waits for the person.
 */
export type Unsent = {
  op: KeptOp;
  fields: Fields<KeptOp>;
  askedAtMs: number;
  nth: number;
  reason?: string;
};

export class OfflineData {
  private nth = 0;
  private restored: Id | null = null;
  private feedTimer: ReturnType<typeof setTimeout> | null = null;

  constructor(
    private readonly client: Client,
    private readonly database: Database,
    /** Returns the id of the user who was logged in last, as far as this browser knows. */
    private readonly hint: () => string | null = readHint,
  ) {
    client.watch((state, before) => {
      if (state.session.phase !== "signed-in" || state.kept !== null) return;
      if (state.views["feed:"] === before.views["feed:"] && state.posts === before.posts) return;
      this.feedTimer ??= setTimeout(() => this.saveFeed(), SAVE_FEED_MS);
    });
    this.saveFeed();
    // A short visit is kept too.
    addEventListener("pagehide", this.saveInTime);
    document.addEventListener("visibilitychange", this.saveInTime);
  }

  asked(userId: Id, op: Op, fields: object): void {
    if (!isKept(op, fields)) return;
    const { key } = fields as Fields<"votes.set">;
    this.nth += 1;
    const askedAtMs = askedBefore.get(key) ?? Date.now();
    void this.database.put(nameOf(userId, hexOf(key)), {
      op,
      fields: fields as Fields<KeptOp>,
      askedAtMs,
      nth: askedAtMs * 1_000 + (this.nth % 1_000),
    } satisfies Unsent);
  }

  ended(userId: Id, op: Op, fields: object, refused: RefusedError | null, late: boolean): void {
    if (!isKept(op, fields) || refused?.code === "abandoned") return;
    const { key } = fields as Fields<"votes.set">;
    const isAgain = askedBefore.has(key);
    const { text } = fields as Partial<Fields<"comments.create">>;
    // A post of this page returns to its composer, so only posts of earlier pages wait.
    const waits = refused !== null && text !== undefined && (isAgain || (late && op === "comments.create"));
    if (!waits) {
      void this.drop(userId, [hexOf(key)]);
      return;
    }
    const unsent: Unsent = {
      op,
      fields: fields as Fields<KeptOp>,
      askedAtMs: Date.now(),
      nth: Date.now() * 1_000,
      reason: refused.message,
    };
    void this.database.put(nameOf(userId, hexOf(key)), unsent);
    this.client.update((s) => ({ ...s, notSent: [...s.notSent, shownAs(unsent)] }));
    if (op === "comments.create") this.unwrite((fields as Fields<"comments.create">).post_id);
  }

  /** The person is signed in: deletes what other people left, and sends this person's earlier requests. */
  async known(userId: Id): Promise<void> {
    const others = await this.database.read((name) => !name.startsWith(`${userId}/`));
    await this.database.drop(others.map(([name]) => name));
    await this.restore(userId);
  }

  /** Shows the kept feed of the person who was here last, until the server says who this is. */
  async open(): Promise<void> {
    const hint = this.hint();
    const [found] = hint === null ? [] : await this.database.read((name) => name === `${hint}/feed`);
    const feed = found?.[1] as Feed | undefined;
    const isStillUnknown = (): boolean =>
      this.client.state.session.phase === "unknown" && this.client.state.session.me === null;
    if (!isStillUnknown()) return;
    if (feed === undefined) {
      this.client.update((s) => ({ ...s, kept: { savedMs: null } }));
      return;
    }
    this.client.update((s) => shownFeed(withSession(s, "unknown", feed.me), feed));
    await this.restore(feed.me.id);
  }

  /** How many kept requests a log-out would delete. */
  async count(userId: Id): Promise<number> {
    return (await this.database.read((name) => name.startsWith(`${userId}/unsent/`))).length;
  }

  /** Sends an item of Not sent as a new request. */
  async send(key: string): Promise<void> {
    const unsent = await this.take(key);
    if (unsent === null) return;
    const fields = {
      ...unsent.fields,
      key: crypto.getRandomValues(new Uint8Array(16)).buffer,
    } as Fields<KeptOp>;
    await this.again({ ...unsent, fields, askedAtMs: Date.now() });
  }

  async delete(key: string): Promise<void> {
    await this.take(key);
  }

  async forget(userId: Id): Promise<void> {
    this.stopSaving();
    if (this.restored === userId) this.restored = null;
    const all = await this.database.read((name) => name.startsWith(`${userId}/`));
    await this.database.drop(all.map(([name]) => name));
  }

  async forgetFeeds(): Promise<void> {
    this.stopSaving();
    const feeds = await this.database.read((name) => name.endsWith("/feed"));
    await this.database.drop(feeds.map(([name]) => name));
  }

  private async restore(userId: Id): Promise<void> {
    if (this.restored === userId) return;
    this.restored = userId;
    const found = await this.database.read((name) => name.startsWith(`${userId}/unsent/`));
    const held = new Set(
      this.client.asker.unanswered.map(({ fields }) => hexOf((fields as Fields<"votes.set">).key)),
    );
    const all = found
      .map(([, value]) => value as Unsent)
      .filter(({ fields }) => !held.has(hexOf(fields.key)))
      .sort((a, b) => a.nth - b.nth);
    if (this.client.state.session.me?.id !== userId) return;
    const waiting = all.filter(({ reason }) => reason !== undefined).map(shownAs);
    this.client.update((s) => ({ ...s, notSent: waiting }));
    for (const one of all) if (one.reason === undefined) void this.again(one);
  }

  private async again({ op, fields, askedAtMs }: Unsent): Promise<void> {
    askedBefore.set(fields.key, askedAtMs);
    // `ended` handles a refusal.
    await sendAgain(op, fields).catch(() => undefined);
  }

  private async take(key: string): Promise<Unsent | null> {
    const userId = this.client.state.session.me?.id;
    if (userId === undefined) return null;
    const [found] = await this.database.read((name) => name === nameOf(userId, key));
    this.client.update((s) => ({ ...s, notSent: s.notSent.filter((one) => one.key !== key) }));
    await this.drop(userId, [key]);
    return (found?.[1] as Unsent | undefined) ?? null;
  }

  private async drop(userId: Id, keys: readonly string[]): Promise<void> {
    await this.database.drop(keys.map((key) => nameOf(userId, key)));
  }

  private unwrite(postId: Id): void {
    this.client.update((s) => ({
      ...s,
      drafts: without(s.drafts, [postId]),
      meant: without(s.meant, [postId]),
    }));
  }

  private stopSaving(): void {
    if (this.feedTimer !== null) clearTimeout(this.feedTimer);
    this.feedTimer = null;
  }

  private readonly saveInTime = (): void => {
    if (this.feedTimer !== null) this.saveFeed();
  };

  private saveFeed(): void {
    this.stopSaving();
    const feed = feedOf(this.client.state, Date.now());
    if (feed !== null) void this.database.put(`${feed.me.id}/feed`, feed);
  }
}

/** A post with pictures is kept as a draft instead, together with its pictures. */
const isKept = (op: Op, fields: object): op is KeptOp =>
  OPS.some((one) => one === op) && ((fields as Partial<Fields<"posts.create">>).pictures ?? null) === null;

const nameOf = (userId: Id, key: string): string => `${userId}/unsent/${key}`;

function shownAs({ op, fields, reason }: Unsent): NotSent {
  const { key, text } = fields as Fields<"comments.create">;
  return { key: hexOf(key), op, text, reason: reason ?? "" };
}
