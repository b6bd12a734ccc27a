// Posts that were sent and not answered yet, by author. A user who returns to the composer finds the post
// that is being sent, and is not asked about unsaved text that was sent already.

import type { Composition, CompositionOptions } from "./composition";

export const underway = new Map<number, Composition>();

/** The post that is on its way, or a new one. */
export const sendingPostOr = (userId: CompositionOptions["userId"], make: () => Composition): Composition =>
  underway.get(userId) ?? make();
