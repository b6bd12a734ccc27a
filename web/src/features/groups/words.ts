// Texts that several screens about groups use, and the length of a group name.

import { countOf, isBlank, many, tidyLine } from "../shared/text";
import { RefusedError } from "../../engine/refused";

/** Longest name of a group, in characters. */
export const NAME_CHARS_MAX = 50;

export const words = {
  none: "No groups yet.",
  inAll: "They are in all your groups already.",
  what: "A group is a small circle you share with. Only you can add people.",
  add: "Add to Group",
  noAccess: "You no longer have access to this group.",
} as const;

/** Returns whether the server would accept this name. */
export function isName(text: string): boolean {
  return !isBlank(text) && countOf(tidyLine(text)) <= NAME_CHARS_MAX;
}

/** Returns the message that the product prescribes: how many users were added to which group. */
export const added = (count: number, name: string): string =>
  `Successfully added ${String(count)} user(s) to ${name}`;

/** Returns the sentence about what happens to the posts of a deleted group. */
export function fate(posts: number): string {
  const now =
    posts === 0
      ? "0 posts are shared with this group"
      : `${many(posts, "post")} shared with this group will be visible to ${posts === 1 ? "its author" : "their authors"} only`;
  return `${now}, and its polls will be gone. This cannot be undone.`;
}

/** Returns whether a refusal concerns the typed or picked value. Its sentence is shown beside the value. */
export const isAbout = (error: unknown): error is RefusedError =>
  error instanceof RefusedError && error.code === "invalid" && error.message !== "";
