// One timer for all times on screen. It ticks once a minute while the page is visible, and once when the page
// becomes visible again. If no component shows a time, no timer runs.

import { now } from "./now";

const watchers = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | null = null;
let minute = 0;

function tick(): void {
  minute = now();
  for (const watch of watchers) watch();
}

function settle(): void {
  const isNeeded = watchers.size > 0 && document.visibilityState !== "hidden";
  if (isNeeded && timer === null) timer = setInterval(tick, 60_000);
  else if (!isNeeded && timer !== null) {
    clearInterval(timer);
    timer = null;
  }
}

function seen(): void {
  settle();
  if (document.visibilityState !== "hidden") tick();
}

export function watchMinute(watch: () => void): () => void {
  if (watchers.size === 0) {
    minute = now();
    document.addEventListener("visibilitychange", seen);
  }
  watchers.add(watch);
  settle();
  return () => {
    watchers.delete(watch);
    if (watchers.size === 0) document.removeEventListener("visibilitychange", seen);
    settle();
  };
}

/** Returns the time of the last tick. */
export function theMinute(): number {
  return minute;
}
