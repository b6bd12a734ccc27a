// What pressing Home does while already there: the waiting posts come in and the page goes to its top.

import { takePile } from "../shared/posts/lists";
import { feedView } from "../shared/posts/types";

export async function pressHome(): Promise<void> {
  await takePile(feedView(null)).catch(() => null);
  scrollTo({ top: 0, behavior: "instant" });
}
