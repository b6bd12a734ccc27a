// The client of this tab. It connects the socket, requests, replay and login with the store.
//
// Features use `ask` and `held` from here and `update` from store.ts; everything else is used only by
// session.ts.

import { Asker } from "./ask";
import type { Ask, Keeper } from "./ask";
import type { Clock, Timer } from "./clock";
import { realClock } from "./clock";
import type { AnyEvent } from "./frames";
import { Socket, openBrowserSocket } from "./socket";
import type { Wire } from "./socket";
import { applyAll } from "./apply";
import { evict, trim } from "./evict";
import type { Shown, Tools, Topics } from "./feature";
import { features } from "./feature";
import { Live } from "./live";
import { Login } from "./login";
import type { Page } from "./login";
import { browserPage, soonInBrowser, watchPage } from "./browser";
import { resync } from "./resync";
import type { Id, State } from "./state";
import { isQuiet } from "./state";
import type { Store } from "./store";
import { store } from "./store";

export const OFFLINE_MS = 15_000;

/** The quiet hours of many people end together. Each page reads within this time what was not sent in them. */
export const QUIET_SPREAD_MS = 2_000;

/** What the app gives to the session. */
export type StartOptions = {
  navigate?: (path: string) => void;
  /** Called at each connection with how far the server's clock is ahead of this device's clock. */
  onClock?: (offsetMs: number) => void;
  /** Called when the account was deleted. Deletes what this browser keeps for the user. */
  onGone?: (userId: number) => void;
  /** Called when this browser did not keep the login, so that it is of this page's connection alone. */
  onNotKept?: () => void;
};

/** Keeps data of the user in this browser. */
export type ClientKeeper = Keeper & {
  /** The page was opened and the server cannot be reached. Shows what is kept of the last user. */
  unreachable(): void;
};

export type ClientOptions = {
  store: Store;
  clock: Clock;
  page: Page;
  open(): Wire;
  soon(run: () => void): void;
};

export class Client {
  readonly ask: Ask;
  readonly socket: Socket;
  readonly asker: Asker;
  readonly live: Live;
  readonly login: Login;
  keeper: ClientKeeper | null = null;
  private readonly shownCounts = new Map<string, number>();
  private offlineTimer: Timer | null = null;
  private tidyTimer: Timer | null = null;
  private started = false;
  private onClock: (offsetMs: number) => void = () => undefined;
  /** The current socket has no missed events left to receive. */
  private upToDate = false;

  constructor(private readonly options: ClientOptions) {
    const { clock, page } = options;
    this.asker = new Asker({
      clock,
      send: (bytes) => this.socket.send(bytes),
      doubt: () => this.socket.doubt(),
      keeper: () => this.keeper,
    });
    this.ask = this.asker.ask;
    this.socket = new Socket({
      open: () => options.open(),
      clock,
      received: (frame) => this.live.received(frame),
      lost: (code, again) => this.lost(code, again),
      probe: () => void this.probe(),
      isAwaited: () => !this.asker.isIdle,
    });
    this.live = new Live({
      clock,
      asker: this.asker,
      soon: options.soon,
      apply: (events) => this.apply(events),
      greeted: (hello) => {
        this.onClock(hello.now_ms - clock.now());
        const mine = this.login.greeted(hello);
        const { build, backups } = hello;
        this.update((s) => ({ ...s, build, backups, connections: s.connections + 1 }));
        if (!mine) this.link("idle");
        return mine;
      },
      resumes: () =>
        features().reduce<Pick<Topics, "posts" | "profiles">>(
          (topics, feature) => ({ ...topics, ...feature.resumes?.(this.state) }),
          { posts: [], profiles: [] },
        ),
      resync: () => void resync(this.tools),
      ready: () => {
        this.upToDate = true;
        this.link("live");
      },
      restart: () => this.socket.restart(),
    });
    this.login = new Login({
      page,
      clock,
      update: this.update,
      state: () => this.state,
      connection: {
        ask: this.ask,
        start: () => this.socket.start(),
        stop: () => this.rest(),
        tryNow: () => this.socket.tryNow(),
        begin: () => this.live.begin(),
        forget: () => {
          this.asker.abandon();
          this.live.forget();
        },
      },
    });
    this.watch((state, before) => {
      if (isQuiet(before) && !isQuiet(state))
        clock.after(clock.random() * QUIET_SPREAD_MS, () => {
          if (this.state.session.me !== null) void resync(this.tools);
        });
    });
  }

  get state(): State {
    return this.options.store.getState();
  }

  /** The part of the client that features may use. */
  private get tools(): Tools {
    return { ask: this.ask, update: this.update, state: () => this.state };
  }

  /** Calls the listener at every change of the state, with the state before it. */
  watch(watcher: (state: State, before: State) => void): () => void {
    return this.options.store.subscribe(watcher);
  }

  readonly update = (how: (state: State) => State): void => this.options.store.setState(how, true);

  /** Closes the socket until it is started again. What is not answered waits for the next one. */
  rest(): void {
    this.socket.stop();
    this.upToDate = false;
    this.asker.lost();
    this.live.lost();
    this.link("idle");
  }

  /** Starts the client of the page. Called again, it only takes the options. */
  start({ navigate, onClock, onGone, onNotKept }: StartOptions): void {
    if (navigate !== undefined) this.options.page.navigate = navigate;
    if (onGone !== undefined) this.options.page.forget = onGone;
    if (onNotKept !== undefined) this.options.page.notKept = onNotKept;
    if (onClock !== undefined) this.onClock = onClock;
    if (this.started) return;
    this.started = true;
    watchPage({
      woke: () => {
        this.login.finish();
        this.socket.doubt();
      },
      offline: () => this.wentOffline(),
      hintChanged: () => this.login.hintChanged(),
    });
    this.login.open();
    if (navigator.onLine === false) this.unreachable();
  }

  /**
   * Registers data that a screen shows: `view:feed:`, `post:9`, `profile:7`, `people:7,8`. Returns a function
   * that ends this. Data that nothing shows is evicted a moment later.
   */
  onScreen(what: string): () => void {
    this.shownCounts.set(what, (this.shownCounts.get(what) ?? 0) + 1);
    return () => {
      const left = (this.shownCounts.get(what) ?? 1) - 1;
      if (left > 0) this.shownCounts.set(what, left);
      else this.shownCounts.delete(what);
      this.tidyLater();
    };
  }

  private tidyLater(): void {
    this.tidyTimer ??= this.options.clock.after(1_000, () => {
      this.tidyTimer = null;
      this.tidy();
    });
  }

  /**
   * Evicts data that is off screen and unsubscribes from it. This waits while a request is unanswered: the
   * server may have subscribed this connection to the data in the reply already, and that subscription must
   * not end.
   */
  tidy(): void {
    if (this.socket.isOpen && !this.asker.isIdle) {
      this.tidyLater();
      return;
    }
    const { state, posts, profiles, polls } = evict(this.state, this.shown());
    this.update(() => state);
    const left = { posts, profiles, polls };
    if (Object.values(left).some((ids) => ids.length > 0) && this.socket.isOpen)
      // If this fails, a few unneeded events arrive until the next socket.
      void this.ask("live.leave", left).catch(() => undefined);
  }

  private shown(): Shown {
    const views = new Set<string>();
    const posts = new Set<Id>();
    const profiles = new Set<Id>();
    const people = new Set<Id>();
    for (const what of this.shownCounts.keys()) {
      const cut = what.indexOf(":");
      const rest = what.slice(cut + 1);
      if (what.startsWith("view:")) views.add(rest);
      else if (what.startsWith("post:")) posts.add(Number(rest));
      else if (what.startsWith("people:")) for (const id of rest.split(",")) people.add(Number(id));
      else profiles.add(Number(rest));
    }
    return { views, posts, profiles, people };
  }

  private apply(events: AnyEvent[]): void {
    const before = this.state;
    this.update((s) => trim(applyAll(s, events)));
    for (const feature of features()) feature.applied?.(this.tools, before, events);
  }

  private lost(code: number, again: boolean): void {
    this.upToDate = false;
    this.asker.lost();
    this.live.lost();
    this.login.closed(code);
    // A guest without a request needs no socket.
    if (again && this.state.session.phase === "guest" && this.asker.isIdle) this.socket.stop();
    if (again && this.state.session.phase !== "guest") this.link("reconnecting");
    else this.link("idle");
    if (again) this.unreachable();
  }

  /** Called when the server cannot be reached. If the viewer is unknown, the keeper shows what is kept. */
  private unreachable(): void {
    const { phase, me } = this.state.session;
    if (phase !== "unknown" || me !== null) return;
    this.link("offline");
    this.keeper?.unreachable();
  }

  /** The browser says that it has no network, which may be wrong. Only an answer tells, because a frame may be old. */
  private wentOffline(): void {
    if (!this.socket.isStarted || this.state.session.phase === "guest") return;
    this.link("offline");
    if (this.socket.isOpen) this.socket.doubt();
  }

  /** Asks whether the connection still works. After an answer it is not lost. */
  private async probe(): Promise<void> {
    try {
      await this.ask("live.probe", {}, { first: true });
      if (this.upToDate) this.link("live");
    } catch {
      // If there is no answer, the socket notices it by itself.
    }
  }

  private link(state: State["connection"]["state"]): void {
    const { clock } = this.options;
    const before = this.state.connection;
    if (state === "reconnecting" && (before.state === "offline" || before.state === "reconnecting")) return;
    if (state === before.state) return;
    clock.cancel(this.offlineTimer);
    this.offlineTimer = null;
    // The time of the loss stays when `reconnecting` becomes `offline`.
    const since = state === "offline" && before.state === "reconnecting" ? before.since : clock.now();
    this.update((s) => ({ ...s, connection: { state, since } }));
    if (state === "reconnecting") this.offlineTimer = clock.after(OFFLINE_MS, () => this.link("offline"));
  }
}

export const client = new Client({
  store,
  clock: realClock,
  page: browserPage(),
  open: openBrowserSocket,
  soon: soonInBrowser,
});

/** Sends a request to the server. */
export const ask: Ask = (op, fields, options) => client.ask(op, fields, options);
