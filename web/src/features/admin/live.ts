// Reads the data of the page for admins, and reads it again when an event says that it changed.

import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useStore } from "../../engine/store";
import { refusalText } from "../../engine/refusalText";
import { say } from "../../say";
import { catchFocus } from "../../ui/focus";
import { toast } from "../../ui/toast";
import { words } from "./words";

/** Returns a string that changes when the data may be out of date. */
export function useVersion(): string {
  const at = useStore((s) => s.changedAt);
  const resyncs = useStore((s) => s.resyncs);
  return `${at}/${resyncs}`;
}

export type Live<T> = { value: T | null; failed: boolean; load(): void };

/** Reads a value, and reads it again when it may have changed. Only the reply to the newest read is used. */
export function useLive<T>(read: () => Promise<T>, more = ""): Live<T> {
  const [value, setValue] = useState<T | null>(null);
  const [failed, setFailed] = useState(false);
  const newest = useRef(0);
  const load = (): void => {
    newest.current += 1;
    const mine = newest.current;
    read().then(
      (now) => {
        if (mine !== newest.current) return;
        setValue(now);
        setFailed(false);
      },
      () => {
        if (mine === newest.current) setFailed(true);
      },
    );
  };
  const loadNow = useEffectEvent(load);
  const version = useVersion();
  useEffect(() => loadNow(), [version, more]);
  return { value, failed, load };
}

/** Runs one action at a time, and shows a refusal as a toast. The function returns whether it succeeded. */
export function useAct(): {
  busy: boolean;
  act(what: () => Promise<unknown>, done?: string): Promise<boolean>;
} {
  const [busy, setBusy] = useState(false);
  const act = async (what: () => Promise<unknown>, done?: string): Promise<boolean> => {
    const pressed = document.activeElement;
    setBusy(true);
    try {
      await what();
      if (done !== undefined) toast(done);
      return true;
    } catch (error) {
      toast(refusalText(error, say(words.failed)), { error: true });
      return false;
    } finally {
      setBusy(false);
      // The button lost the focus when it was disabled.
      catchFocus(() => (pressed instanceof HTMLButtonElement && pressed.isConnected ? pressed : null));
    }
  };
  return { busy, act };
}

/** Copies a link and shows the message `done`. If copying is not possible, it shows the link. */
export async function copyLink(link: string, done: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(link);
    toast(done);
  } catch {
    toast(say(words.notCopied, { link }), { error: true });
  }
}
