// The open dialogs and menus, as one list of layers. Only the newest layer can be reached. Everything else in
// the body is inert, and the page behind does not scroll. Elements marked `data-above` (toasts, live regions)
// are never inert.

const layers: HTMLElement[] = [];

function settle(): void {
  const top = layers.at(-1) ?? null;
  for (const child of document.body.children) {
    if (!(child instanceof HTMLElement) || child.hasAttribute("data-above")) continue;
    child.inert = top !== null && child !== top;
  }
  if (top === null) delete document.documentElement.dataset["modal"];
  else document.documentElement.dataset["modal"] = "open";
}

/** Puts a layer (a child of the body) on top. Returns a function that removes it. */
export function raise(layer: HTMLElement): () => void {
  layers.push(layer);
  settle();
  return () => {
    const at = layers.indexOf(layer);
    if (at >= 0) layers.splice(at, 1);
    layer.inert = false;
    settle();
  };
}

/** Whether this layer receives the keyboard. */
export function isTop(layer: HTMLElement): boolean {
  return layers.at(-1) === layer;
}

const FOCUSABLE =
  'a[href],button:not([disabled]),input:not([disabled]):not([type="hidden"]),select:not([disabled]),textarea:not([disabled]),[tabindex]:not([tabindex="-1"])';

/** Returns the elements inside that Tab reaches, in order. */
export function tabStops(inside: HTMLElement): HTMLElement[] {
  return [...inside.querySelectorAll<HTMLElement>(FOCUSABLE)].filter(
    (element) => element.tabIndex >= 0 && !element.closest("[inert],[hidden],[aria-hidden=true]"),
  );
}
