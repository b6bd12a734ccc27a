// Whether posts with content notes are shown at once. The choice is in local storage, because it belongs to the
// device.

import { useSyncExternalStore } from "react";
import { local } from "../../storage";

const KEY = "mellow.notes";
const OPEN = "open";

let isOpen = read();
const watchers = new Set<() => void>();

addEventListener("storage", ({ key }) => {
  if (key === null || key === KEY) put(read());
});

export function useNotesOpen(): boolean {
  return useSyncExternalStore(watch, () => isOpen);
}

export function setNotesOpen(open: boolean): void {
  put(open);
  if (open) local.setItem(KEY, OPEN);
  else local.removeItem(KEY);
}

function watch(tell: () => void): () => void {
  watchers.add(tell);
  return () => watchers.delete(tell);
}

function put(open: boolean): void {
  isOpen = open;
  for (const tell of watchers) tell();
}

function read(): boolean {
  return local.getItem(KEY) === OPEN;
}
