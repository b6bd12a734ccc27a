// A press on Home while Home is open. It shows the new posts and scrolls to the top.

import { takePile } from "../shared/posts/lists";
import { feedView } from "../shared/posts/types";

export async function pressHome(): Promise<void> {
  await takePile(feedView(null)).catch(() => null);
  scrollTo({ top: 0, behavior: "instant" });
}
