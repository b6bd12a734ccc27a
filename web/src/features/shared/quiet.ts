// What is said aloud in quiet hours.

import { isQuiet } from "../../engine/state";
import { store } from "../../engine/store";
import { announce } from "../../ui/announce";

/** Announces what others did, unless it is quiet hours (D-U3). */
export function announceOthers(text: string): void {
  if (!isQuiet(store.getState())) announce(text);
}
