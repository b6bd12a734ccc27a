// Keeps the reading position in browsers that do not, such as Safari before 27. When something above the text
// that is read changes its height, the page scrolls by as much.

type Seen = { part: Element; top: number };

/** The distance between the points at which the first part below the header is looked for. */
const STEP_PX = 16;

/** Returns the part of the page at the top of the window, and then the parts around it, with their places. */
function look(main: HTMLElement): Seen[] {
  // At the start of a page, what is added there is shown.
  if (scrollY <= 0) return [];
  const { left, width } = main.getBoundingClientRect();
  const header = parseFloat(getComputedStyle(document.documentElement).scrollPaddingBlockStart) || 0;
  for (let y = header; y < innerHeight / 2; y += STEP_PX) {
    // This is not in the middle, because the button for new posts floats there.
    const hit = document.elementFromPoint(left + width / 4, y);
    // In the gap between two items the list itself is hit, whose place says nothing about theirs.
    if (hit === null || hit === main || !main.contains(hit) || hit.querySelector("li, [data-place]") !== null)
      continue;
    const seen: Seen[] = [];
    for (let part: Element | null = hit; part !== null && part !== main; part = part.parentElement)
      seen.push({ part, top: part.getBoundingClientRect().top });
    return seen;
  }
  return [];
}

/** Keeps what is read at its place, until the returned function is called. */
export function anchor(main: HTMLElement): () => void {
  let seen: Seen[] = [];
  let place = scrollY;
  const note = (): void => {
    seen = look(main);
    place = scrollY;
  };
  // An observer is called after the layout and before the frame is drawn.
  const sizes = new ResizeObserver(() => {
    // A scroll is reported only in a later frame, so the page may have scrolled already. If a script did, it
    // shows what it wants to show, and nothing is kept. If the page became shorter, the browser has moved it
    // to its end.
    const atEnd = scrollY < place && scrollY >= document.documentElement.scrollHeight - innerHeight - 1;
    const kept = scrollY === place || atEnd ? seen.find(({ part }) => part.isConnected) : undefined;
    const moved = kept === undefined ? 0 : Math.round(kept.part.getBoundingClientRect().top - kept.top);
    if (moved !== 0) {
      // Tells useHeaderAway.ts that the reader did not scroll.
      document.documentElement.dataset["kept"] = "";
      scrollBy({ top: moved, behavior: "instant" });
    }
    note();
  });
  sizes.observe(main);
  addEventListener("scroll", note, { passive: true });
  return () => {
    sizes.disconnect();
    removeEventListener("scroll", note);
  };
}
