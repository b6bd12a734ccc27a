// The size of the box for the pictures of a post, computed from their widths and heights.

type Size = { width: number; height: number };

/** A tower is shown on its own colours rather than three screens high, and so is a panorama. */
export const TALL_MOST = 3 / 4;
export const WIDE_MOST = 5 / 2;
/** A picture smaller than this, in pixels, still gets a box that its controls fit into. */
export const LOW_MOST = 240;

/** The shape of the box is in the middle between the widest and the highest picture, so that none becomes a strip. */
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

/** At most so much of a picture is cut off to fill its box: what 3:4 beside 16:9 loses, the two shapes of phones. */
export const CUT_MOST = 0.36;
/** The largest box in pixels. A smaller picture is not enlarged. */
const BOX_PX: Size = { width: 548, height: 360 };

/** Whether the picture fills a box of this shape. Its middle is shown then; otherwise all of it is. */
export function fills(picture: Size, boxRatio: number): boolean {
  const ratio = ratioOf(picture);
  const cut = 1 - Math.min(ratio / boxRatio, boxRatio / ratio);
  return picture.width >= BOX_PX.width && picture.height >= BOX_PX.height && cut <= CUT_MOST;
}

/** So long a picture fills little of its box; its colours around it would look like more of it. */
export function isExtreme(picture: Size): boolean {
  const ratio = ratioOf(picture);
  return ratio > 4 || ratio < 1 / 4;
}

/** How wide a picture is once its longer side is at most `longest`. */
export function widthWithin({ width, height }: Size, longest: number): number {
  return Math.max(1, Math.round(width * Math.min(1, longest / Math.max(width, height, 1))));
}
