// The size of the box for the pictures of a post, computed from their widths and heights.

type Size = { width: number; height: number };

/**
 * The limits of the box's shape. A higher or wider picture is shown whole on a background of its own colours.
 */
export const TALL_MOST = 3 / 4;
export const WIDE_MOST = 5 / 2;
/** The least height of a box in pixels, so that the controls fit. */
export const LOW_MOST = 240;

/** The shape of the box is between the widest and the highest picture, so that none becomes a strip. */
export function boxOf(pictures: readonly Size[]): { ratio: number; tallest: number } {
  if (pictures.length === 0) return { ratio: 1, tallest: LOW_MOST };
  const ratios = pictures.map((one) => Math.min(WIDE_MOST, Math.max(TALL_MOST, ratioOf(one))));
  const middle = Math.sqrt(Math.min(...ratios) * Math.max(...ratios));
  return {
    ratio: Math.round(middle * 1_000) / 1_000,
    tallest: Math.max(LOW_MOST, ...pictures.map((picture) => picture.height)),
  };
}

function ratioOf({ width, height }: Size): number {
  return width > 0 && height > 0 ? width / height : 1;
}

/** The most of a picture that may be cropped to fill its box: what a 3:4 picture beside a 16:9 one loses. */
export const CUT_MOST = 0.36;
/** The largest box in pixels. A smaller picture is not enlarged. */
const BOX_PX: Size = { width: 548, height: 360 };

/**
 * Returns whether a picture fills a box of this shape. If it does, its edges are cropped; if not, it is shown
 * whole.
 */
export function fills(picture: Size, boxRatio: number): boolean {
  const ratio = ratioOf(picture);
  const cut = 1 - Math.min(ratio / boxRatio, boxRatio / ratio);
  return picture.width >= BOX_PX.width && picture.height >= BOX_PX.height && cut <= CUT_MOST;
}

/**
 * Returns whether a picture is so long that it fills little of its box, and a background of its colours would
 * look like a part of it.
 */
export function isExtreme(picture: Size): boolean {
  const ratio = ratioOf(picture);
  return ratio > 4 || ratio < 1 / 4;
}

/** Returns the width of a picture whose longer side is reduced to at most `longest`. */
export function widthWithin({ width, height }: Size, longest: number): number {
  return Math.max(1, Math.round(width * Math.min(1, longest / Math.max(width, height, 1))));
}
