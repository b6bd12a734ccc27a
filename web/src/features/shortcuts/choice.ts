// Whether shortcuts are on. The choice is in local storage, because it belongs to the device.

import { useSyncExternalStore } from "react";
import { local } from "../../storage";

const KEY = "mellow.shortcuts";
const OFF = "off";

let isOn = read();
const watchers = new Set<() => void>();

addEventListener("storage", ({ key }) => {
  if (key === null || key === KEY) put(read());
});

export const areShortcutsOn = (): boolean => isOn;

export function useShortcutsOn(): boolean {
  return useSyncExternalStore(watch, areShortcutsOn);
}

export function setShortcuts(on: boolean): void {
  put(on);
  if (on) local.removeItem(KEY);
  else local.setItem(KEY, OFF);
}

function watch(tell: () => void): () => void {
  watchers.add(tell);
  return () => watchers.delete(tell);
}

function put(on: boolean): void {
  isOn = on;
  for (const tell of watchers) tell();
}

function read(): boolean {
  return local.getItem(KEY) !== OFF;
}
