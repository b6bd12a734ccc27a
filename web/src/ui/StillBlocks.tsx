import { Hidden } from "./Hidden";

/**
 * Still blocks in the shape of posts, in the place of a list that loads, and its words for screen readers. The page
 * itself has the same blocks and their styles (index.html).
 */
export function StillBlocks({ children }: { children: string }) {
  return (
    <>
      <Hidden>{children}</Hidden>
      <div className="still" aria-hidden="true">
        <i />
        <i />
        <i />
        <i />
      </div>
    </>
  );
}
