// Gives the screen its composition: while a post is being sent, that of the post; otherwise a new one.

import { useEffect, useState, useSyncExternalStore } from "react";
import type { Chosen } from "../../features/uploads/chosen";
import type { Composing, Composition, CompositionOptions } from "./composition";
import { compositionOf } from "./browserComposition";
import { sendingPostOr } from "./sendingPosts";

export function useComposition(
  options: Pick<CompositionOptions, "userId" | "tag" | "audience">,
): [Composition, Composing, Chosen] {
  const [composition] = useState(() => sendingPostOr(options.userId, () => compositionOf(options)));
  useEffect(() => composition.start(), [composition]);
  const view = useSyncExternalStore(composition.watch, composition.get);
  const chosen = useSyncExternalStore(composition.pictures.watch, composition.pictures.get);
  return [composition, view, chosen];
}
