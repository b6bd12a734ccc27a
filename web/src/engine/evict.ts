// Keeping the store small: each feature drops what no screen shows, and the server unsubscribes this
// connection from it.

import type { Shown, Topics } from "./feature";
import { features } from "./feature";
import type { State } from "./state";

export type Evicted = Topics & { state: State };

/** Drops what is off screen. Returns the state and the topics that are no longer needed. */
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

/** Keeps the state within its bounds after events. */
export const trim = (state: State): State =>
  features().reduce((next, feature) => feature.trim?.(next) ?? next, state);

function topicsOf(state: State): Topics {
  const none: Topics = { posts: [], profiles: [], polls: [] };
  return features().reduce<Topics>((topics, feature) => ({ ...topics, ...feature.topics?.(state) }), none);
}
