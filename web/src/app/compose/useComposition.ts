// A composition for as long as its screen is there, with the real browser around it; the one that is
// still on its way, if there is one.

import { useEffect, useState, useSyncExternalStore } from "react";
import { browserStorage } from "../../features/drafts/draft";
import { browserShelf } from "../../features/drafts/shelf";
import type { Chosen } from "../../features/uploads/chosen";
import { mayShareWith } from "../../store/audiences";
import { ask } from "../../store/client";
import { store } from "../../store/store";
import { realClock } from "../../wire/clock";
import type { Composing, CompositionOptions } from "./composition";
import { Composition } from "./composition";
import { underwayOr } from "./underway";

export function useComposition(options: Pick<CompositionOptions, "userId" | "tag" | "posted" | "failed">): [Composition, Composing, Chosen] {
  const [composition] = useState(() =>
    underwayOr(
      options.userId,
      () =>
        new Composition({
          ...options,
          ask,
          clock: realClock,
          storage: browserStorage,
          shelf: browserShelf,
          mayShareWith: (audience) => mayShareWith(store.getState(), audience),
          // A page without HTTPS has no locks.
          locks: navigator.locks ?? null,
          line: (name) => new BroadcastChannel(name),
        }),
    ),
  );
  useEffect(() => composition.start(), [composition]);
  const view = useSyncExternalStore(composition.watch, composition.get);
  const chosen = useSyncExternalStore(composition.pictures.watch, composition.pictures.get);
  return [composition, view, chosen];
}
