// The order in which frames reach the store: the cursor, catching up after a reconnect, and batching.
//
// Promises: the cursor is the highest seq without a gap before it, and does not move during a resume (L4);
// catching up begins with all events of the write at the cursor, because some of them may be missing; events
// that arrive meanwhile are buffered and sorted; a reply is delivered only after every event that came before
// it. Events are applied together, once per animation frame, and every few seconds in a hidden tab.
// Never: typed text, dialogs or the scroll position change.

import type { Asker } from "./ask";
import type { Clock, Timer } from "./clock";
import type { AnyEvent, EventOf, Incoming, Reply } from "./frames";
import type { Id } from "./state";

export type LiveOptions = {
  clock: Clock;
  asker: Asker;
  /** Applies events, which are in the order of their seq. */
  apply(events: AnyEvent[]): void;
  /**
   * Handles the login in `hello`. Returns whether the connection belongs to a signed-in user and must catch
   * up.
   */
  greeted(hello: EventOf<"hello">): boolean;
  /** Returns the posts and profiles on screen, to subscribe to. */
  resumes(): { posts: Id[]; profiles: Id[] };
  /** The server cannot replay the missed events. Reads everything on screen again. */
  resync(): void;
  /** Called when the connection is up to date. */
  ready(): void;
  /** Opens a new socket, because catching up failed on this one. */
  restart(): void;
  /** Runs the function before the next paint, or within seconds in a hidden tab. */
  soon(run: () => void): void;
};

const POSTS_NAMED_MAX = 320;
const PROFILES_NAMED_MAX = 16;
const RESUME_AGAIN_MS = 2_000;

export class Live {
  /** The epoch of the cursor; null if there is no cursor yet. */
  private epoch: string | null = null;
  private hello: EventOf<"hello"> | null = null;
  private cursor = 0;
  private resuming = false;
  private held: AnyEvent[] = [];
  private queue: AnyEvent[] = [];
  private planned = false;
  private again: Timer | null = null;
  /** Counts sockets, so that a late reply of an old one is ignored. */
  private round = 0;

  constructor(private readonly options: LiveOptions) {}

  /** The cursor: no event before this seq is missing, but events of this seq may be. */
  get at(): number {
    return this.cursor;
  }

  received(frame: Incoming): void {
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

  /** The socket is closed. */
  lost(): void {
    this.round += 1;
    this.options.clock.cancel(this.again);
    this.again = null;
    // The cursor is below the held events, because others may be missing before them. So all are replayed.
    this.held = [];
    this.resuming = false;
    this.flush();
  }

  /** The user changed or logged out. Forgets the cursor. */
  forget(): void {
    this.lost();
    this.queue = [];
    this.epoch = null;
    this.cursor = 0;
  }

  /** The user of this socket is known. Catches up first if there is a cursor. */
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
    this.options.asker.received(reply);
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
        // The request was refused or not answered, so it is repeated a little later on a new socket.
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
      // The new seq may be smaller, because another epoch has its own numbers.
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

/** Sorts events by seq. Events of one write keep their order. */
function inOrder(events: AnyEvent[]): AnyEvent[] {
  return [...events].sort((a, b) => a.seq - b.seq);
}
