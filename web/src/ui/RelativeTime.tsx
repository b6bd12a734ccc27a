import { useSyncExternalStore } from "react";
import { theMinute, watchMinute } from "./minute";
import { now } from "./now";
import { relative, shortMoment } from "./relative";

/** Shows how long ago something was, with the whole date as a tooltip. */
export function RelativeTime({ ms, short = false }: { ms: number; short?: boolean }) {
  // The text is made again at each tick. A time after the last tick is compared with the current time.
  const ticked = useSyncExternalStore(watchMinute, theMinute);
  return (
    <time dateTime={new Date(ms).toISOString()} title={shortMoment(ms)}>
      {relative(ms, Math.max(ticked, now()), short)}
    </time>
  );
}
