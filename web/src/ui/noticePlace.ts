import css from "./Notice.module.css";
import { cx } from "./cx";

let stack: HTMLElement | null = null;

/** Returns a new element for one notice. All of them are in one place, so that none covers another. */
export function noticePlace(): HTMLElement {
  if (stack === null) {
    stack = document.createElement("div");
    stack.className = cx(css.stack);
  }
  // A test may have emptied the page.
  if (!stack.isConnected) document.body.append(stack);
  const place = document.createElement("div");
  stack.append(place);
  return place;
}
