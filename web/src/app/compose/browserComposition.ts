// Makes a composition that uses the storage, the locks and the channels of the browser.

import { channelOf } from "../../features/drafts/draftLock";
import { local } from "../../storage";
import { browserPictureStore } from "../../features/drafts/pictureStore";
import { mayShareWith } from "../../features/shared/groups/useAudiences";
import { ask } from "../../engine/client";
import { store } from "../../engine/store";
import { realClock } from "../../engine/clock";
import { say } from "../../say";
import { toast } from "../../ui/toast";
import type { CompositionOptions } from "./composition";
import { Composition } from "./composition";

export const compositionOf = (
  address: Pick<CompositionOptions, "userId" | "tag" | "audience">,
): Composition =>
  new Composition({
    ...address,
    ask,
    clock: realClock,
    storage: local,
    pictureStore: browserPictureStore,
    mayShareWith: (audience) => mayShareWith(store.getState(), audience),
    // A page without HTTPS has no locks.
    locks: navigator.locks ?? null,
    channel: channelOf,
    posted: () => undefined,
    failed: () => toast(say("Error creating post. Please try again."), { error: true, ms: 4_000 }),
  });
