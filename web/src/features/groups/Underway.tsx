// What is said of a wish that takes a while: it is on its way, or it goes out when the line is back.

import { useSlow } from "../../store/slow";
import { useStore } from "../../store/store";
import { quiet } from "../../ui/card";

/** Undefined while there is nothing worth a word. */
export function useUnderway(busy: boolean): string | undefined {
  const slow = useSlow(busy);
  const offline = useStore((s) => s.connection.state === "offline");
  if (!slow) return undefined;
  return offline ? "Saved. It will go out when you're back online." : "Sending";
}

export function Underway({ busy }: { busy: boolean }) {
  const says = useUnderway(busy);
  return says === undefined ? null : <p className={quiet}>{says}</p>;
}
