// The composition of a screen, connected to the real browser. If a post is still being sent, this is its
// composition.

import { useEffect, useState, useSyncExternalStore } from "react";
import { browserStorage } from "../../features/drafts/draft";
import { browserPictureStore } from "../../features/drafts/pictureStore";
import type { Chosen } from "../../features/uploads/chosen";
import { mayShareWith } from "../../features/shared/groups/useAudiences";
import { ask } from "../../engine/client";
import { store } from "../../engine/store";
import { realClock } from "../../engine/clock";
import type { Composing, CompositionOptions } from "./composition";
import { Composition } from "./composition";
import { sendingPostOr } from "./sendingPosts";

export function useComposition(
  options: Pick<CompositionOptions, "userId" | "tag" | "posted" | "failed">,
): [Composition, Composing, Chosen] {
  const [composition] = useState(() =>
    sendingPostOr(
      options.userId,
      () =>
        new Composition({
          ...options,
          ask,
          clock: realClock,
          storage: browserStorage,
          pictureStore: browserPictureStore,
          mayShareWith: (audience) => mayShareWith(store.getState(), audience),
          // A page without HTTPS has no locks.
          locks: navigator.locks ?? null,
          channel: (name) => new BroadcastChannel(name),
        }),
    ),
  );
  useEffect(() => composition.start(), [composition]);
  const view = useSyncExternalStore(composition.watch, composition.get);
  const chosen = useSyncExternalStore(composition.pictures.watch, composition.pictures.get);
  return [composition, view, chosen];
}
