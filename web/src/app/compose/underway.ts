// Posts whose answer is still out, by their author: whoever comes back to the composer meanwhile finds
// the very one that is on its way, and nobody is asked about words that are out of their hands.

import type { Composition, CompositionOptions } from "./composition";

export const underway = new Map<number, Composition>();

/** The post that is on its way, or a new one. */
export const underwayOr = (userId: CompositionOptions["userId"], make: () => Composition): Composition => underway.get(userId) ?? make();
