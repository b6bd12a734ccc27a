// Turns the thumbhash of a picture into a CSS image: a blur of a few colours, drawn on this device.

import { thumbHashToDataURL } from "thumbhash";

/** The drawn blurs, so that they are not drawn again after Back. */
const drawn = new Map<string, string | undefined>();
const DRAWN_MAX = 500;

/** Returns `url(...)`, or undefined if the thumbhash cannot be drawn. */
export function blurOf(thumbhash: string): string | undefined {
  if (!drawn.has(thumbhash)) {
    if (drawn.size >= DRAWN_MAX) drawn.clear();
    drawn.set(thumbhash, draw(thumbhash));
  }
  return drawn.get(thumbhash);
}

function draw(thumbhash: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(thumbhash), (letter) => letter.charCodeAt(0));
    return bytes.length < 5 ? undefined : `url(${thumbHashToDataURL(bytes)})`;
  } catch {
    // The picture then has no blurred preview.
    return undefined;
  }
}
