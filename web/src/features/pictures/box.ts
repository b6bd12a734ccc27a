// The size of the box for the pictures of a post, computed from their widths and heights.

type Size = { width: number; height: number };

/** A tower is shown beside its own colours rather than three screens high, a panorama above and below. */
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

/** So long a picture fills little of its box; its colours around it would look like more of it. */
export function isExtreme(picture: Size): boolean {
  const ratio = ratioOf(picture);
  return ratio > 4 || ratio < 1 / 4;
}

/** How wide a picture is once its longer side is at most `longest`. */
export function widthWithin({ width, height }: Size, longest: number): number {
  return Math.max(1, Math.round(width * Math.min(1, longest / Math.max(width, height, 1))));
}
