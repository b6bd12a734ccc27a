/** Returns the heading of the page, ready to take the focus; null if there is none yet. */
export function pageHeading(): HTMLElement | null {
  const found = document.querySelector<HTMLElement>("main h1");
  if (found !== null) found.tabIndex = -1;
  return found;
}
