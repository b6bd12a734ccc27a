import { useSyncExternalStore } from "react";
import { theMinute, watchMinute } from "./minute";
import { now } from "./now";
import { relative } from "./relative";

/** How long ago, and the whole date as a tooltip. */
export function RelativeTime({ ms, short = false }: { ms: number; short?: boolean }) {
  // The words are made anew at each tick; what is newer than the tick is judged by the clock itself.
  const ticked = useSyncExternalStore(watchMinute, theMinute);
  const date = new Date(ms);
  return (
    <time dateTime={date.toISOString()} title={date.toLocaleString()}>
      {relative(ms, Math.max(ticked, now()), short)}
    </time>
  );
}
