// Comments that are being written, kept while the reader is on another page. They are dropped when the account
// changes.

import { mentioned } from "../shared/mentions";
import { defineFeature } from "../../engine/feature";
import type { Id } from "../../engine/state";

declare module "../../engine/state" {
  interface State {
    /** The comment that is being written, by post. */
    drafts: Record<Id, string>;
    /** The accounts that this comment mentions, by post. */
    meant: Record<Id, DraftMention[]>;
  }
}

/** The text has `@name` at this offset, for the user with this id, even if others have the same name. */
export type DraftMention = { at: number; id: Id; name: string };

export const comments = defineFeature({
  initial: () => ({ drafts: {}, meant: {} }),
  users: ({ pending, meant }) => [
    ...pending.comments.flatMap(({ text }) => mentioned(text)),
    ...Object.values(meant).flatMap((all) => all.map(({ id }) => id)),
  ],
});
