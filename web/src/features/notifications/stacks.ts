// Comments on one post stand together, the newest first, under one quote of the post. A stack stands where its
// newest comment belongs.
//
// Promise: a notification that arrives while the list is shown never moves one that is listed. It joins the
// comments on its post only if these are at the top. The next time the list is read, they stand together.

import type { Id } from "../../engine/state";
import type { NotificationEntry } from "./state";

/** `items`: the newest first. `listed`: the newest id of the page that was read; those above it arrived later. */
export function inStacks(items: readonly NotificationEntry[], listed: Id): NotificationEntry[][] {
  const stacks: NotificationEntry[][] = [];
  let ofPost = new Map<Id | null, NotificationEntry[]>();
  let isBelow = false;
  for (const one of items) {
    const post = one.kind === "comment" ? one.post_id : null;
    const stack = post === null ? undefined : ofPost.get(post);
    if (stack === undefined) stacks.push([one]);
    else stack.push(one);
    const own = stack ?? stacks.at(-1) ?? [];
    // Only its neighbour can join an item that arrived later.
    if (one.id > listed || (!isBelow && stack === undefined)) ofPost = new Map();
    ofPost.set(post, own);
    isBelow = one.id <= listed;
  }
  return stacks;
}
