// The texts of imports. Those that the product prescribes are exact.

import { many, say } from "../../say";

export const words = {
  file: "Archive file",
  hint: "From Mellow or Mastodon. Nothing is imported before you say so.",
  where:
    "In Mellow you get it in Settings with Export My Data; in Mastodon in its settings, under Import and export. At most {n} MB.",
  comes: "Posts come with pictures, descriptions, tag, note and date.",
  stays:
    "Comments, vibes, followers, groups, polls and messages stay behind, because others take part in them. Your profile stays as it is.",
  reading: "Reading the file",
  keepOpen: "Please keep this tab open until the whole file has arrived. The rest goes on without it.",
  elsewhere:
    "The file comes from another tab or device. If that was closed, cancel and choose the file again.",
  lost: "The file didn't get through. Please choose it again.",
  preview: "Preview",
  leftOut: "Left out",
  first: "First posts",
  choose: "Choose who can see them",
  start: "Import",
  nothing: "There is nothing to import in this file.",
  importing: "Importing",
  goesOn: "You can leave. It goes on without this page.",
  paused: "It waits for a moment, and then goes on by itself.",
  cancelImport: "Cancel Import",
  imports: "Imports",
  undo: "Undo Import",
  undone: "Import undone",
  failed: "That didn't go through. Please try again.",
} as const;

/** What is not imported, by the reason. */
export const reasons = {
  not_public: "Not public there",
  replies: "Replies to others",
  shares: "Shares of others' posts",
  polls: "Polls",
  too_long: "Too long",
  empty: "No words or pictures",
  no_date: "No valid date",
  already_here: "Already here",
  pictures: "Pictures",
} as const;

/** Why a file was refused. */
export const refusals = {
  unknown: "This isn't an archive from Mellow or Mastodon.",
  unsafe: "This file can't be read safely.",
  broken: "The posts in this file can't be read.",
} as const;

/** The names of where archives come from, which are the same in each language. */
const SOURCES = { mellow: "Mellow", mastodon: "Mastodon" } as const;

export const foundText = (posts: number, pictures: number): string =>
  say("{posts}, {pictures}", {
    posts: many(posts, "{n} post", "{n} posts"),
    pictures: many(pictures, "{n} picture", "{n} pictures"),
  });

export const leftOutText = (reason: string, n: number): string => say("{reason}: {n}", { reason, n });

export const spanText = (first: string, last: string): string =>
  say("From {first} to {last}", { first, last });

export const progressText = (done: number, total: number): string =>
  many(total, "{done} of {n} post", "{done} of {n} posts", { done });

export const importedText = (posts: number): string => many(posts, "{n} post imported", "{n} posts imported");

export const pastText = (posts: number, source: keyof typeof SOURCES): string =>
  many(posts, "{n} post from {source}", "{n} posts from {source}", { source: SOURCES[source] });

export const goesText = (posts: number, comments: number): string =>
  say("{posts} and {comments} under them will be deleted.", {
    posts: many(posts, "{n} post", "{n} posts"),
    comments: many(comments, "{n} comment", "{n} comments"),
  });
