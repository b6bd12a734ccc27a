// Posts that are being sent, by author. A user who returns to the composer sees the post that is being sent,
// and is not asked about unsaved text.

import type { Composition, CompositionOptions } from "./composition";

export const sendingPosts = new Map<number, Composition>();

/** Returns the composition of the post that is being sent, or a new one. */
export const sendingPostOr = (userId: CompositionOptions["userId"], make: () => Composition): Composition =>
  sendingPosts.get(userId) ?? make();
