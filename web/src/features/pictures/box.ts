// The shapes of the pictures of a post, computed from their widths and heights.

import type { CSSProperties } from "react";

type Size = { width: number; height: number };

/** A picture is shown in its own shape within these limits. Of a longer one a part is shown; a press opens it whole. */
export const TALL_MOST = 1 / 4;
export const WIDE_MOST = 8;

export function shapeOf({ width, height }: Size): number {
  if (width <= 0 || height <= 0) return 1;
  return Math.round(Math.min(WIDE_MOST, Math.max(TALL_MOST, width / height)) * 1_000) / 1_000;
}

/**
 * Returns the shape and height for the style sheet: of one picture, or the least wide shape and the greatest height of
 * several.
 */
export const sizeOf = (pictures: readonly Size[]): CSSProperties =>
  ({
    "--ratio": Math.min(...pictures.map(shapeOf)),
    "--natural": `${Math.max(...pictures.map(({ height }) => height))}px`,
  }) as CSSProperties;

/** Returns the width of a picture whose longer side is reduced to at most `longest`. */
export function widthWithin({ width, height }: Size, longest: number): number {
  return Math.max(1, Math.round(width * Math.min(1, longest / Math.max(width, height, 1))));
}
