// The lock of the draft: of all tabs of this browser only the one that holds it writes the draft.
//
// Promises: a tab that asks for the lock gets it only after the other has saved its text; a tab that does not
// answer in time loses the lock; a tab that has written nothing releases the lock by itself. When the
// writer's tab is closed, the next tab may write. Never: two tabs that both save. Without the Web Locks API
// (a page without HTTPS) every tab may write.

import type { Clock, Timer } from "../../engine/clock";

/** A tab that does not hand over within this time is asleep; it saved when it was hidden. */
export const HAND_OVER_MS = 1_500;

type Message =
  | { kind: "may-i" | "claim" | "busy" | "dropped"; from: string }
  | { kind: "sent"; from: string; key: string };

/** The name of a person's lock and of the channel on which the tabs speak about it. */
export const draftLockName = (userId: number): string => `mellow.draft.${String(userId)}`;

export type Channel = Pick<BroadcastChannel, "postMessage" | "onmessage" | "close">;

function send(channel: Channel, message: Message): void {
  // A channel has no target: it reaches this site alone.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  channel.postMessage(message);
}

export type DraftLockOptions = {
  name: string;
  locks: Pick<LockManager, "request"> | null;
  channel: Channel;
  clock: Clock;
  /** This tab writes now. */
  mine(): void;
  /** Another tab does. */
  other(): void;
  /** Nothing has been written here, so there is nothing to hand over. */
  isEmpty(): boolean;
  /** Saves everything for the next tab. False while a post is being sent. */
  handOver(): Promise<boolean>;
  /** The other tab is in the middle of posting. */
  busy(): void;
  /** The draft was thrown away elsewhere. */
  dropped(): void;
  /** The post of an earlier page that was asked for with this key is sent again, without its draft. */
  sent(key: string): void;
};

/** Tells every tab that the draft was thrown away. */
export function announceDropped(channel: Channel): void {
  send(channel, { kind: "dropped", from: "" });
  channel.close();
}

/** Announces to every tab that the post with this key is sent again, without its draft. */
export function announceSent(channel: Channel, key: string): void {
  send(channel, { kind: "sent", from: "", key });
  channel.close();
}

export class DraftLock {
  private readonly me = crypto.getRandomValues(new Uint32Array(2)).join("-");
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

  /** Asks again for a lock that the other tab does not need. */
  ask(): void {
    if (!this.isMine && !this.left) this.send("may-i");
  }

  /** The person wants to write here. */
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
    const { kind, from } = message;
    if (this.left || from === this.me) return;
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

  /** Gives the lock to the tab that asked; it is first in the queue. */
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
    // The request fails when the wait was aborted, or when another tab stole the lock from this one.
    locks?.request(name, how, granted).catch(() => {
      if (!wasHeld || !this.isMine) return;
      this.released();
      this.wait();
    });
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
    send(this.options.channel, { kind, from: this.me });
  }
}
