/** What input methods send instead of the code of a key. */
const OF_INPUT_METHOD = 229;

/**
 * Returns whether a key belongs to an input method that composes characters. Safari ends a composition before the
 * Enter that confirmed it, and only `keyCode` tells then.
 */
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === OF_INPUT_METHOD;
}
