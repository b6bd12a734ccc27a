// Keeps the store small. Each feature drops data that no screen shows, and the client unsubscribes this
// connection from it.

import type { Shown, Topics } from "./feature";
import { features } from "./feature";
import type { State } from "./state";

export type Evicted = Topics & { state: State };

/** Drops data that is off screen. Returns the new state and the topics that are no longer needed. */
export function evict(state: State, shown: Shown): Evicted {
  const next = features().reduceRight((left, feature) => feature.evict?.(left, shown) ?? left, state);
  const kept = topicsOf(next);
  const before = topicsOf(state);
  const dropped = (topic: keyof Topics) => {
    const ids = new Set(kept[topic]);
    return before[topic].filter((id) => !ids.has(id));
  };
  return { state: next, posts: dropped("posts"), profiles: dropped("profiles"), polls: dropped("polls") };
}

/** Drops what exceeds the bounds of the state. Runs after events. */
export const trim = (state: State): State =>
  features().reduce((next, feature) => feature.trim?.(next) ?? next, state);

function topicsOf(state: State): Topics {
  const none: Topics = { posts: [], profiles: [], polls: [] };
  return features().reduce<Topics>((topics, feature) => ({ ...topics, ...feature.topics?.(state) }), none);
}
