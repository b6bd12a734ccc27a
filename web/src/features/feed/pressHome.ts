// A press on Home while Home is open shows the new posts and scrolls to the top.

import { isQuiet } from "../../engine/state";
import { store } from "../../engine/store";
import { readFirst, showWaiting } from "../shared/posts/lists";
import { feedView } from "../shared/posts/types";

export async function pressHome(): Promise<void> {
  // In quiet hours only a read knows the new posts.
  const show: (name: string) => Promise<unknown> = isQuiet(store.getState()) ? readFirst : showWaiting;
  // If they cannot be read now, their button stays.
  await show(feedView(null)).catch(() => null);
  scrollTo({ top: 0, behavior: "instant" });
}
