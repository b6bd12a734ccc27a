// What a feature adds to the engine, and the list of the registered features.
//
// app/features.ts registers all features once, in order: a feature comes after those it builds on. Events are
// applied in that order; eviction runs in the reverse order. The engine names no feature. A part of the page that few
// people open adds its feature when it is loaded.

import type { Ask } from "./ask";
import type { AnyEvent, EventName, EventOf, Fields, Ok, Op } from "./frames";
import type { Id, State } from "./state";
import type { Me } from "./types.gen";

/** What the screens show at this moment. */
export type Shown = {
  views: ReadonlySet<string>;
  posts: ReadonlySet<Id>;
  profiles: ReadonlySet<Id>;
  people: ReadonlySet<Id>;
};

/** What this connection is subscribed to. */
export type Topics = { posts: Id[]; profiles: Id[]; polls: Id[] };

/** What a feature needs to send requests outside of a component. */
export type Tools = { ask: Ask; update(how: (state: State) => State): void; state(): State };

export type Feature = {
  /** The feature's part of the state before anything is known, and after a logout. */
  initial(): Partial<State>;
  /** How an event changes the state. Applying an event twice changes nothing. */
  on?: { [K in EventName]?: (state: State, event: EventOf<K>) => State };
  /**
   * Runs when the account of this page becomes known, and whenever the login sets it again, such as after a
   * reconnect.
   */
  signedIn?(state: State, me: Me): State;
  /** Runs after events were applied together, outside of the state: a feature may ask the server for more. */
  applied?(tools: Tools, before: State, events: readonly AnyEvent[]): void;
  /** Keeps the state within its bounds after events. */
  trim?(state: State): State;
  /** Drops what no screen shows. */
  evict?(state: State, shown: Shown): State;
  /** The users whose names this feature shows; `evict` keeps them. */
  users?(state: State): Iterable<Id>;
  /** What the connection is subscribed to because of this feature, until `evict` drops it. */
  topics?(state: State): Partial<Topics>;
  /** What `live.resume` subscribes to again. */
  resumes?(state: State): Partial<Pick<Topics, "posts" | "profiles">>;
  /** Sets every seq to 0, because the seqs of another epoch cannot be compared. */
  forgetSeqs?(state: State): Partial<State>;
  /** Reads what is held again, in place, after the server could not say what was missed. */
  reread?(tools: Tools, before: State): Promise<unknown>;
  /**
   * Runs after all rereads were answered, unless one failed: drops what their replies no longer name. `named` are the
   * users in these replies.
   */
  reconcile?(state: State, before: State, named: ReadonlySet<Id>): State;
};

/**
 * How the replies to requests that read enter the state. A feature exports them from its `api.ts` as `loads`, where
 * app/tapes.test.ts finds them. They are no part of `Feature`, because every `Feature` is fetched at the start of the
 * page.
 */
export type Loads = { readonly [K in Op]?: (state: State, ok: Ok<K>, fields: Fields<K>) => State };

let registered: readonly Feature[] = [];

/** Keeps the exact type of a feature, so that app/features.ts can check that every event is handled. */
export const defineFeature = <const F extends Feature>(feature: F & Feature): F => feature;

/** Registers the features, in order, in place of those before. */
export function registerFeatures(all: readonly Feature[]): void {
  registered = all;
}

export const features = (): readonly Feature[] => registered;

/** Everything empty, as at the start of the page. */
export const emptyState = (): State =>
  registered.reduce<State>((state, feature) => ({ ...state, ...feature.initial() }), {
    session: { phase: "unknown", me: null },
    connection: { state: "idle", since: 0 },
    build: null,
    backups: null,
    connections: 0,
    resyncs: 0,
  } as State);

/** The state with this account signed in; null: nobody. */
export function withSession(state: State, phase: State["session"]["phase"], me: Me | null): State {
  const next = { ...state, session: { phase, me } };
  return me === null ? next : registered.reduce((all, feature) => feature.signedIn?.(all, me) ?? all, next);
}
