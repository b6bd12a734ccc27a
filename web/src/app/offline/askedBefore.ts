/** When a request of an earlier page was first made, in milliseconds, by its key. */
export const askedBefore = new WeakMap<object, number>();
