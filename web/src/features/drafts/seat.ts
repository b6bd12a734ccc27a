// One draft, one writer: of all tabs of this browser only one sits at it.
//
// Promises: a tab that asks for the seat gets it only after the other has put its words away; a tab
// that cannot answer is not waited for; a tab that has written nothing makes room unasked. When the
// writer's tab goes, the next is free to write.
// Never: two tabs that both save. Without locks (a page without HTTPS) every tab sits, as before locks.

import type { Clock, Timer } from "../../wire/clock";

/** A tab that does not hand over within this time is asleep; it saved when it was hidden. */
export const HAND_OVER_MS = 1_500;

type Message = { kind: "may-i" | "claim" | "busy" | "dropped"; from: string };

/** What a person's tabs call the seat, and the line they talk on about it. */
export const seatName = (userId: number): string => `mellow.draft.${String(userId)}`;

export type Line = Pick<BroadcastChannel, "postMessage" | "onmessage" | "close">;

function send(line: Line, message: Message): void {
  // A channel has no target: it reaches this site alone.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  line.postMessage(message);
}

export type SeatOptions = {
  name: string;
  locks: Pick<LockManager, "request"> | null;
  line: Line;
  clock: Clock;
  /** This tab writes now. */
  mine(): void;
  /** Another tab does. */
  other(): void;
  /** Nothing has been written here, so there is nothing to hand over. */
  isEmpty(): boolean;
  /** Puts everything away for the next tab. False when this is no time to stop. */
  handOver(): Promise<boolean>;
  /** The other tab is in the middle of posting. */
  busy(): void;
  /** The draft was thrown away elsewhere. */
  dropped(): void;
};

/** Tells every tab that the draft was thrown away. */
export function tellDropped(line: Line): void {
  send(line, { kind: "dropped", from: "" });
  line.close();
}

export class Seat {
  private readonly me = crypto.getRandomValues(new Uint32Array(2)).join("-");
  private isMine = false;
  private rise: (() => void) | null = null;
  private queue: AbortController | null = null;
  private timer: Timer | null = null;
  private left = false;

  constructor(private readonly options: SeatOptions) {
    options.line.onmessage = ({ data }) => this.hear(data as Message);
  }

  /** Sits down if the seat is free, else waits for it. */
  start(): void {
    if (this.options.locks === null) this.sit();
    else this.request({ ifAvailable: true });
  }

  /** Asks again for a seat that nobody needs. */
  ask(): void {
    if (!this.isMine && !this.left) this.say("may-i");
  }

  /** The person wants to write here. */
  claim(): void {
    if (this.isMine || this.left) return;
    this.say("claim");
    this.options.clock.cancel(this.timer);
    this.timer = this.options.clock.after(HAND_OVER_MS, () => this.steal());
  }

  leave(): void {
    this.left = true;
    this.isMine = false;
    this.options.clock.cancel(this.timer);
    this.queue?.abort();
    this.rise?.();
    this.options.line.onmessage = null;
    this.options.line.close();
  }

  private hear({ kind, from }: Message): void {
    if (this.left || from === this.me) return;
    if (kind === "dropped") this.options.dropped();
    else if (kind === "busy") {
      if (this.timer === null) return;
      this.options.clock.cancel(this.timer);
      this.timer = null;
      this.options.busy();
    } else if (this.isMine && (kind === "claim" || this.options.isEmpty())) void this.make(kind === "claim");
  }

  /** Makes room for the tab that asked; it stands first in the queue. */
  private async make(wasClaimed: boolean): Promise<void> {
    const handed = await this.options.handOver();
    if (!this.isMine || this.left) return;
    if (!handed) {
      if (wasClaimed) this.say("busy");
      return;
    }
    this.up();
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
        this.say("may-i");
        return undefined;
      }
      wasHeld = true;
      const held = new Promise<void>((resolve) => {
        this.rise = resolve;
      });
      this.sit();
      return held;
    };
    // It ends with an error when the wait was called off, or when another tab took the seat from this one.
    locks?.request(name, how, granted).catch(() => {
      if (!wasHeld || !this.isMine) return;
      this.up();
      this.wait();
    });
  }

  private sit(): void {
    this.options.clock.cancel(this.timer);
    this.timer = null;
    this.isMine = true;
    this.options.mine();
  }

  private up(): void {
    this.isMine = false;
    this.rise?.();
    this.rise = null;
    this.options.other();
  }

  private say(kind: Message["kind"]): void {
    send(this.options.line, { kind, from: this.me });
  }
}
