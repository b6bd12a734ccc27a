// The order in which frames reach the store: the cursor, catching up after a reconnect, and batching.
//
// Promises: the cursor is the highest seq without a gap before it, and does not move during a resume (L4);
// catching up begins with all events of the write at the cursor, which may have been cut in half; events
// that arrive meanwhile are buffered and sorted; a reply is delivered only after every event that came before
// it. Events are applied together, once per animation frame, and every few seconds in a hidden tab.
// Never: typed text, dialogs or the scroll position are changed.

import type { Asker } from "./ask";
import type { Clock, Timer } from "./clock";
import type { AnyEvent, EventOf, Incoming, Reply } from "./frames";
import type { Id } from "./state";

export type LiveOptions = {
  clock: Clock;
  asker: Asker;
  /** Events in the order of their seq. */
  apply(events: AnyEvent[]): void;
  /** The login as the server knows it. Returns whether the connection is to be brought up to date for a signed-in user. */
  greeted(hello: EventOf<"hello">): boolean;
  /** What is shown, for the server to listen to. */
  resumes(): { posts: Id[]; profiles: Id[] };
  /** The server does not know what was missed: read again what is on screen. */
  resync(): void;
  /** Up to date and listening. */
  ready(): void;
  /** The connection contradicts itself: a new socket is needed. */
  restart(): void;
  /** Runs once, soon: before the next paint, or within seconds in a hidden tab. */
  soon(run: () => void): void;
};

const POSTS_NAMED_MAX = 320;
const PROFILES_NAMED_MAX = 16;
const RESUME_AGAIN_MS = 2_000;

export class Live {
  /** The epoch the cursor belongs to; null while nothing is held. */
  private epoch: string | null = null;
  private hello: EventOf<"hello"> | null = null;
  private cursor = 0;
  private resuming = false;
  private held: AnyEvent[] = [];
  private queue: AnyEvent[] = [];
  private planned = false;
  private again: Timer | null = null;
  /** Rises with each socket, so that a late answer of an old one is recognised. */
  private round = 0;

  constructor(private readonly options: LiveOptions) {}

  /** The seq up to which nothing is missing, but perhaps a part of that write itself. */
  get at(): number {
    return this.cursor;
  }

  heard(frame: Incoming): void {
    if (frame.kind === "reply") {
      this.replied(frame.reply);
      return;
    }
    const event = frame.event;
    if (event.ev === "hello") {
      this.greet(event);
      return;
    }
    if (this.resuming) {
      this.held.push(event);
      return;
    }
    this.cursor = Math.max(this.cursor, event.seq);
    if (event.ev === "beat") return;
    this.queue.push(event);
    if (this.planned) return;
    this.planned = true;
    this.options.soon(() => this.flush());
  }

  /** The socket is closed; an event that was cut off comes again. */
  lost(): void {
    this.round += 1;
    this.options.clock.cancel(this.again);
    this.again = null;
    // Held events may have gaps before them: the cursor does not count them, so they come again.
    this.held = [];
    this.resuming = false;
    this.flush();
  }

  /** Another account, or none: the cursor means nothing now. */
  forget(): void {
    this.lost();
    this.queue = [];
    this.epoch = null;
    this.cursor = 0;
  }

  /**
   * The person on this socket is known. With nothing held there is nothing to catch up with; else what
   * was missed is asked for first.
   */
  begin(): void {
    if (this.epoch !== null) {
      this.resuming = true;
      this.resume();
      return;
    }
    this.epoch = this.hello?.epoch ?? null;
    this.cursor = Math.max(this.cursor, this.hello?.seq ?? 0);
    this.options.asker.readied();
    this.options.ready();
  }

  flush(): void {
    this.planned = false;
    if (this.queue.length === 0) return;
    const events = this.queue;
    this.queue = [];
    this.options.apply(events);
  }

  private replied(reply: Reply): void {
    this.flush();
    this.options.asker.heard(reply);
  }

  private greet(hello: EventOf<"hello">): void {
    this.hello = hello;
    const mine = this.options.greeted(hello);
    this.options.asker.opened();
    if (mine) this.begin();
  }

  private resume(): void {
    const round = this.round;
    const { asker, clock, resumes } = this.options;
    const { posts, profiles } = resumes();
    const fields = {
      epoch: this.epoch ?? "",
      seq: this.cursor,
      posts: posts.slice(-POSTS_NAMED_MAX),
      profiles: profiles.slice(-PROFILES_NAMED_MAX),
    };
    asker.ask("live.resume", fields, { first: true }).then(
      (ok) => {
        if (round === this.round) this.resumed(ok.resync, ok.seq);
      },
      () => {
        if (round !== this.round) return;
        // Refused or unanswered on a living socket: ask again a little later, on a fresh one.
        this.again = clock.after(RESUME_AGAIN_MS, () => this.options.restart());
      },
    );
  }

  private resumed(resync: boolean, seq: number): void {
    const events = inOrder(this.held);
    this.held = [];
    this.resuming = false;
    this.epoch = this.hello?.epoch ?? this.epoch;
    const missed = events.filter((event) => event.ev !== "beat");
    if (resync) {
      // The cursor may step back: another epoch counts anew.
      this.cursor = seq;
      this.options.apply(missed.filter((event) => event.seq > seq));
      this.options.resync();
    } else {
      this.options.apply(missed);
    }
    this.cursor = events.reduce(
      (highest, event) => Math.max(highest, event.seq),
      resync ? seq : Math.max(seq, this.cursor),
    );
    this.options.asker.readied();
    this.options.ready();
  }
}

/** By rising seq; events of one write keep the order they came in. */
function inOrder(events: AnyEvent[]): AnyEvent[] {
  return [...events].sort((a, b) => a.seq - b.seq);
}
