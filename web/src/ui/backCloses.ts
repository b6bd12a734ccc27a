// Makes Back close a layer over the page instead of leaving the page. While the layer is open, the history
// has one more entry for the same address, because that works in every browser.
//
// Promises: when the layer is closed otherwise, Back leaves the page with one press, as before. An entry
// without its layer, such as after a reload or a step forward, is left at once. Neither the router nor the
// scroll positions notice these entries.

import { useEffectEvent, useLayoutEffect } from "react";

type Layer = { id: string; close(): void };

let open: Layer | null = null;
/** A step out of an entry has begun, which browsers take a little later. */
let steps = false;

const layerOf = (state: unknown): unknown =>
  typeof state === "object" && state !== null && "layer" in state ? state.layer : undefined;

/** Brings the history in line with what is open. */
function settle(): void {
  if (steps) return;
  const layer = layerOf(history.state);
  if (open !== null && layer === undefined)
    // Not by the method of the instance, because that one tells the router.
    History.prototype.pushState.call(history, { ...(history.state as object | null), layer: open.id }, "");
  else if (layer !== undefined && layer !== open?.id) {
    steps = true;
    history.back();
  }
}

addEventListener("popstate", ({ state }: PopStateEvent) => {
  if (steps) steps = false;
  else if (open !== null && layerOf(state) !== open.id) {
    const { close } = open;
    open = null;
    close();
  }
  settle();
});
settle();

export function useBackCloses(onClose: () => void): void {
  const close = useEffectEvent(onClose);
  // This runs before the layer is drawn, so that Back works as soon as it is seen.
  useLayoutEffect(() => {
    const layer = {
      id: `${String(Date.now())}-${Math.random().toString(36).slice(2, 8)}`,
      close: () => close(),
    };
    open = layer;
    settle();
    return () => {
      if (open === layer) open = null;
      settle();
    };
  }, []);
}
