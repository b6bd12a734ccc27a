import { compositionOf } from "./browserComposition";
import { sendingPosts } from "./sendingPosts";

/** Sends the post with pictures that an earlier page of this person shared, unless another tab sends it. */
export function goOn(userId: number): void {
  if (!sendingPosts.has(userId)) compositionOf({ userId, tag: "" }).goOn();
}
