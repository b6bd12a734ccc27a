/** The code that input methods send instead of that of a key. */
const OF_INPUT_METHOD = 229;

/**
 * Returns whether a key belongs to an input method that composes characters. Safari ends a composition before
 * the Enter that confirmed it, so that only `keyCode` tells.
 */
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === OF_INPUT_METHOD;
}
