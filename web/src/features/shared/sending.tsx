// The note beside a request that takes a while: it is on its way, or it goes out when the connection is back.

import { useStore } from "../../engine/store";
import { quiet } from "../../ui/card";
import { useSlow } from "../../ui/useSlow";

/** Undefined until the request has taken long enough for a note. */
export function useSendingNote(busy: boolean): string | undefined {
  const slow = useSlow(busy);
  const offline = useStore((s) => s.connection.state === "offline");
  if (!slow) return undefined;
  return offline ? "Saved. It will go out when you're back online." : "Sending";
}

export function SendingNote({ busy, className = quiet }: { busy: boolean; className?: string | undefined }) {
  const note = useSendingNote(busy);
  return note === undefined ? null : <p className={className}>{note}</p>;
}
