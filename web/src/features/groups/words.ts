// Texts that several screens about groups use, and the length of a group name.

import { countOf, isBlank, tidyLine } from "../shared/text";
import { RefusedError } from "../../engine/refused";
import { many, say } from "../../say";

/** Longest name of a group, in characters. */
export const NAME_CHARS_MAX = 50;

export const words = {
  none: "No groups yet.",
  inAll: "They are in all your groups already.",
  what: "A group is a small circle you share with. Only you can add people.",
  noneYet: "No groups yet. A group is a small circle you share with. Only you can add people.",
  add: "Add to Group",
  noAccess: "You no longer have access to this group.",
} as const;

/** Returns whether the server would accept this name. */
export function isName(text: string): boolean {
  return !isBlank(text) && countOf(tidyLine(text)) <= NAME_CHARS_MAX;
}

/** Returns the message that the product prescribes: how many users were added to which group. */
export const added = (count: number, group: string): string =>
  many(count, "Successfully added {n} user(s) to {group}", "Successfully added {n} user(s) to {group}", {
    group,
  });

/** Returns the sentence about what happens to the posts of a deleted group. */
export function fate(posts: number): string {
  return posts === 0
    ? say("0 posts are shared with this group, and its polls will be gone. This cannot be undone.")
    : many(
        posts,
        "{n} post shared with this group will be visible to its author only, and its polls will be gone. This cannot be undone.",
        "{n} posts shared with this group will be visible to their authors only, and its polls will be gone. This cannot be undone.",
      );
}

/** Returns whether a refusal concerns the typed or picked value. Its sentence is shown beside the value. */
export const isAbout = (error: unknown): error is RefusedError =>
  error instanceof RefusedError && error.code === "invalid" && error.message !== "";
