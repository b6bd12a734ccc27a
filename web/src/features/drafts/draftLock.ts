// The lock of the draft. Of all tabs of this browser only the tab with the lock writes the draft.
//
// Promises: a tab that asks for the lock gets it only after the other tab has saved its text. A tab that does
// not answer in time loses the lock. A tab in which nothing was written releases the lock by itself. When the
// tab with the lock is closed, the next tab gets it. Never: two tabs that both save. Without locks (a page
// without HTTPS, or a browser that refuses them) every tab may write.
//
// A tab does not simply take the lock from the other, for these reasons:
// - The other tab may hold words that it has not saved yet, or pictures that are still being stored. They would
//   arrive after this tab has read the draft. So a claim waits until they are saved.
// - The other tab may be posting. The text could then be changed here and be posted again, under another key.
//   So a tab that is posting answers "busy".
// - A tab that a phone has suspended answers nothing and keeps its lock, even in the middle of posting. So a
//   claim without an answer takes the lock by force. A note in storage could not replace the answer, because a
//   suspended tab would leave it there.

import type { Clock, Timer } from "../../engine/clock";

/** A tab that does not hand over within this time is asleep, and has saved when it was hidden. */
export const HAND_OVER_MS = 1_500;

/** A channel does not receive its own messages. */
type Message = { kind: "may-i" | "claim" | "busy" | "dropped" } | { kind: "sent"; key: string };

/** Returns the name of a user's lock and of the channel between the tabs. */
export const draftLockName = (userId: number): string => `mellow.draft.${String(userId)}`;

export type Channel = Pick<BroadcastChannel, "postMessage" | "onmessage" | "close">;

/**
 * Opens the channel between tabs. A browser that refuses it, as it may where it refuses storage, leaves each
 * tab on its own.
 */
export function channelOf(userId: number): Channel {
  try {
    return new BroadcastChannel(draftLockName(userId));
  } catch {
    // Other tabs then notice a change when they are opened again.
    return { onmessage: null, postMessage: () => undefined, close: () => undefined };
  }
}

function send(channel: Channel, message: Message): void {
  // A broadcast channel has no target origin. It reaches only this site.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  channel.postMessage(message);
}

export type DraftLockOptions = {
  name: string;
  locks: Pick<LockManager, "request"> | null;
  channel: Channel;
  clock: Clock;
  /** Called when this tab has the lock. */
  mine(): void;
  /** Called when another tab has the lock. */
  other(): void;
  /** Returns whether nothing was written in this tab, so that there is nothing to hand over. */
  isEmpty(): boolean;
  /** Saves everything for the next tab. Returns false while a post is being sent. */
  handOver(): Promise<boolean>;
  /** Called when the other tab refuses because it is posting. */
  busy(): void;
  /** Called when another tab has deleted the draft. */
  dropped(): void;
  /** Called when the post with this key, of an earlier page, is sent again. Its draft is no longer needed. */
  sent(key: string): void;
};

/** Announces to every tab that the draft was deleted. */
export function announceDropped(channel: Channel): void {
  send(channel, { kind: "dropped" });
  channel.close();
}

/**
 * Announces to every tab that the post with this key is sent again, so that its draft is no longer needed.
 */
export function announceSent(channel: Channel, key: string): void {
  send(channel, { kind: "sent", key });
  channel.close();
}

export class DraftLock {
  private isMine = false;
  private release: (() => void) | null = null;
  private queue: AbortController | null = null;
  private timer: Timer | null = null;
  private left = false;

  constructor(private readonly options: DraftLockOptions) {
    options.channel.onmessage = ({ data }) => this.receive(data as Message);
  }

  /** Takes the lock if it is free, else waits for it. */
  start(): void {
    if (this.options.locks === null) this.acquired();
    else this.request({ ifAvailable: true });
  }

  /** Asks for the lock again. The other tab releases it if nothing was written there. */
  ask(): void {
    if (!this.isMine && !this.left) this.send("may-i");
  }

  /** The user wants to write in this tab. Asks for the lock, and takes it by force if nobody answers. */
  claim(): void {
    if (this.isMine || this.left) return;
    this.send("claim");
    this.options.clock.cancel(this.timer);
    this.timer = this.options.clock.after(HAND_OVER_MS, () => this.steal());
  }

  leave(): void {
    this.left = true;
    this.isMine = false;
    this.options.clock.cancel(this.timer);
    this.queue?.abort();
    this.release?.();
    this.options.channel.onmessage = null;
    this.options.channel.close();
  }

  private receive(message: Message): void {
    const { kind } = message;
    if (this.left) return;
    if (kind === "dropped") this.options.dropped();
    else if (kind === "sent") this.options.sent(message.key);
    else if (kind === "busy") {
      if (this.timer === null) return;
      this.options.clock.cancel(this.timer);
      this.timer = null;
      this.options.busy();
    } else if (this.isMine && (kind === "claim" || this.options.isEmpty()))
      void this.handOver(kind === "claim");
  }

  /** Releases the lock for the tab that asked, which is first in the queue. */
  private async handOver(wasClaimed: boolean): Promise<void> {
    const handed = await this.options.handOver();
    if (!this.isMine || this.left) return;
    if (!handed) {
      if (wasClaimed) this.send("busy");
      return;
    }
    this.released();
    this.wait();
  }

  private wait(): void {
    this.queue = new AbortController();
    this.request({ signal: this.queue.signal });
  }

  private steal(): void {
    this.timer = null;
    this.queue?.abort();
    this.request({ steal: true });
  }

  private request(how: LockOptions): void {
    const { locks, name } = this.options;
    let wasHeld = false;
    const granted = (lock: Lock | null): Promise<void> | undefined => {
      if (this.left) return undefined;
      if (lock === null) {
        this.options.other();
        this.wait();
        this.send("may-i");
        return undefined;
      }
      wasHeld = true;
      const held = new Promise<void>((resolve) => {
        this.release = resolve;
      });
      this.acquired();
      return held;
    };
    const failed = (error: unknown): void => {
      if (this.left) return;
      if (wasHeld && this.isMine) {
        // Another tab took the lock by force.
        this.released();
        this.wait();
      }
      // A wait that was aborted ends so too. Any other error means that the browser refuses locks.
      else if (!wasHeld && !(error instanceof DOMException && error.name === "AbortError")) this.acquired();
    };
    // It may also throw.
    void (async () => locks?.request(name, how, granted))().catch(failed);
  }

  private acquired(): void {
    this.options.clock.cancel(this.timer);
    this.timer = null;
    this.isMine = true;
    this.options.mine();
  }

  private released(): void {
    this.isMine = false;
    this.release?.();
    this.release = null;
    this.options.other();
  }

  private send(kind: "may-i" | "claim" | "busy"): void {
    send(this.options.channel, { kind });
  }
}
