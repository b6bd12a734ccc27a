// The note beside a request that takes long. It says that the request is being sent, or that it will be sent
// when the connection is back.

import { useEffect } from "react";
import { useStore } from "../../engine/store";
import { say } from "../../say";
import { isStorageRefused } from "../../storage";
import { announce } from "../../ui/announce";
import { quiet } from "../../ui/card";
import { useSlow } from "../../ui/useSlow";
import css from "./sending.module.css";

/** Returns the text beside a request that waits for the connection. */
export const waitingNote = (): string =>
  isStorageRefused()
    ? say("It will go out when you're back online. Please keep this page open.")
    : say("Saved. It will go out when you're back online.");

/** Returns the note, and announces it; undefined until the request has taken long enough. */
export function useSendingNote(busy: boolean): string | undefined {
  const slow = useSlow(busy);
  const offline = useStore((s) => s.connection.state === "offline");
  const note = slow ? (offline ? waitingNote() : say("Sending")) : undefined;
  useEffect(() => {
    if (note !== undefined) announce(note);
  }, [note]);
  return note;
}

/**
 * The note floats below the pressed button, so that nothing moves. With `still`, for dialogs, it has its own
 * line.
 */
export function SendingNote({ busy, still = false }: { busy: boolean; still?: boolean }) {
  const note = useSendingNote(busy);
  return note === undefined ? null : <p className={still ? quiet : css.note}>{note}</p>;
}
