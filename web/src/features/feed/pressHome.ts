// A press on Home while Home is open shows the new posts and scrolls to the top.

import { showWaiting } from "../shared/posts/lists";
import { feedView } from "../shared/posts/types";

export async function pressHome(): Promise<void> {
  // If they cannot be read now, their button stays.
  await showWaiting(feedView(null)).catch(() => null);
  scrollTo({ top: 0, behavior: "instant" });
}
