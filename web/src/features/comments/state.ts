// Comments that are being written, kept while the reader is on another page. They are dropped when the account
// changes.

import { mentioned } from "../shared/mentions";
import { defineFeature } from "../../engine/feature";
import type { Id } from "../../engine/state";

declare module "../../engine/state" {
  interface State {
    /** By post: the comment that is being written. */
    drafts: Record<Id, string>;
    /** By post: the people that the mentions in that comment stand for. */
    meant: Record<Id, DraftMention[]>;
  }
}

/** `@name` is at this offset of the text and means this person, even if others have the same name. */
export type DraftMention = { at: number; id: Id; name: string };

export const comments = defineFeature({
  initial: () => ({ drafts: {}, meant: {} }),
  users: ({ pending, meant }) => [
    ...pending.comments.flatMap(({ text }) => mentioned(text)),
    ...Object.values(meant).flatMap((all) => all.map(({ id }) => id)),
  ],
});
