// A press of Home while Home is open: shows the waiting posts and scrolls to the top.

import { takePile } from "../shared/posts/lists";
import { feedView } from "../shared/posts/types";

export async function pressHome(): Promise<void> {
  await takePile(feedView(null)).catch(() => null);
  scrollTo({ top: 0, behavior: "instant" });
}
