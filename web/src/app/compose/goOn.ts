import { compositionOf } from "./browserComposition";
import { sendingPosts } from "./sendingPosts";

/** Sends the post with pictures that this person began to post before a reload, unless another tab sends it. */
export function goOn(userId: number): void {
  if (!sendingPosts.has(userId)) compositionOf({ userId, tag: "" }).goOn();
}
