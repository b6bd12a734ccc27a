/** When a request of an earlier page was first asked, by its key. */
export const askedBefore = new WeakMap<object, number>();
