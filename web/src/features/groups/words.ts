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

/** Whether the server would take this as a name. */
export function isName(text: string): boolean {
  return !isBlank(text) && countOf(tidyLine(text)) <= NAME_CHARS_MAX;
}

/** The specification's words: how many came, and into which group. */
export const added = (count: number, name: string): string =>
  `Successfully added ${String(count)} user(s) to ${name}`;

/** What becomes of what was shared with a group that ends. */
export function fate(posts: number): string {
  const now =
    posts === 0
      ? "0 posts are shared with this group"
      : `${many(posts, "post")} shared with this group will be visible to ${posts === 1 ? "its author" : "their authors"} only`;
  return `${now}, and its polls will be gone. This cannot be undone.`;
}

/** Refusals that are about what was typed or picked: their sentence is shown beside it. */
export const isAbout = (error: unknown): error is RefusedError =>
  error instanceof RefusedError && error.code === "invalid" && error.message !== "";
