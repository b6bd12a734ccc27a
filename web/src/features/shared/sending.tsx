// The note beside a request that takes a while: it is on its way, or it goes out when the connection is back.

import { useStore } from "../../engine/store";
import { quiet } from "../../ui/card";
import { useSlow } from "../../ui/useSlow";
import css from "./sending.module.css";

/** Undefined until the request has taken long enough for a note. */
export function useSendingNote(busy: boolean): string | undefined {
  const slow = useSlow(busy);
  const offline = useStore((s) => s.connection.state === "offline");
  if (!slow) return undefined;
  return offline ? "Saved. It will go out when you're back online." : "Sending";
}

/** Floats below the pressed button and takes no room, so that nothing moves. In a dialog, which scrolls, `still` gives it a line of its own. */
export function SendingNote({ busy, still = false }: { busy: boolean; still?: boolean }) {
  const note = useSendingNote(busy);
  return note === undefined ? null : <p className={still ? quiet : css.note}>{note}</p>;
}
