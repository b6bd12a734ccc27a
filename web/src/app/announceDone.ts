// Tells people with a screen reader that what they wrote has arrived, or that a comment is gone. For all other
// requests a toast or the moved focus says so.

import type { RefusedError } from "../engine/ask";
import type { Op } from "../engine/frames";
import { say } from "../say";
import { announce } from "../ui/announce";

/** Announces the end of a request, also of one that waited for the connection or that an earlier page made. */
export function announceDone(op: Op, refused: RefusedError | null): void {
  if (refused !== null) return;
  if (op === "posts.create") announce(say("Post shared"));
  else if (op === "comments.create") announce(say("Comment posted"));
  else if (op === "comments.delete") announce(say("Comment deleted"));
}
