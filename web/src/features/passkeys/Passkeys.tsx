// The viewer's passkeys, in Settings (D-V1, D-V2).
//
// Promise: the list shows every change at once, also one of another device.

import type { ReactNode } from "react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { Ok } from "../../engine/frames";
import { useStore } from "../../engine/store";
import type { Passkey } from "../../engine/types.gen";
import { say } from "../../say";
import { Button } from "../../ui/Button";
import { InlineError } from "../../ui/InlineError";
import { quiet } from "../../ui/card";
import { catchFocus, focusFreed, useFocusInside } from "../../ui/focus";
import { canUsePasskeys, passkeyPlace } from "../shared/passkeys/place";
import { AddPasskey } from "./AddPasskey";
import { PasskeyItem } from "./PasskeyItem";
import { RemovePasskey } from "./RemovePasskey";
import { nameOfDevice, readPasskeys } from "./api";
import { words } from "./words";
import css from "./passkeys.module.css";

/** `loading`: what is shown until the list is known. */
export function Passkeys({ loading }: { loading: ReactNode }) {
  const version = useStore((s) => `${String(s.changedAt)}/${String(s.resyncs)}`);
  const [list, setList] = useState<Ok<"passkeys.list"> | null>(null);
  const [failed, setFailed] = useState(false);
  const [device, setDevice] = useState("");
  const [isAdding, setAdding] = useState(false);
  const [leaving, setLeaving] = useState<Passkey | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const newest = useRef(0);
  const { inside, onFocus, onBlur } = useFocusInside();
  const canUse = canUsePasskeys();

  const read = async (): Promise<void> => {
    newest.current += 1;
    const mine = newest.current;
    setFailed(false);
    try {
      const ok = await readPasskeys();
      if (mine === newest.current) setList(ok);
    } catch {
      // What is shown stays.
      if (mine === newest.current) setFailed(true);
    }
  };
  const readNow = useEffectEvent(read);
  useEffect(() => {
    void readNow();
  }, [version]);
  useEffect(() => {
    // Without it the field is empty.
    if (canUse) void nameOfDevice().then(setDevice, () => undefined);
  }, [canUse]);

  // The pressed button goes with its passkey, also if another device removed it. An open dialog keeps the focus.
  const count = list?.passkeys.length ?? 0;
  const had = useRef(0);
  const keepFocus = useEffectEvent(() => {
    if (inside.current && leaving === null && !isAdding) catchFocus(() => box.current);
  });
  useEffect(() => {
    if (count < had.current) keepFocus();
    had.current = count;
  }, [count]);

  const removed = (): void => {
    flushSync(() => setLeaving(null));
    // The button that opened the question goes with its passkey. If it went before, the focus is at the top of the page.
    if (box.current !== null) focusFreed(box.current, { preventScroll: true });
    void read();
  };

  if (list === null) return failed ? <InlineError onRetry={() => void read()} /> : loading;
  const { passkeys, available } = list;
  return (
    <div ref={box} tabIndex={-1} className={css.passkeys} onFocus={onFocus} onBlur={onBlur}>
      {passkeys.length === 0 && <p className={quiet}>{say(words.none)}</p>}
      {passkeys.length > 0 && (
        <ul role="list" aria-label={say(words.list)} className={css.list}>
          {passkeys.map((one) => (
            <PasskeyItem key={one.id} passkey={one} onRenamed={read} onRemove={() => setLeaving(one)} />
          ))}
        </ul>
      )}
      {passkeyPlace() === "elsewhere" && <p className={quiet}>{say(words.elsewhere)}</p>}
      {canUse && available && (
        <Button variant="quiet" onClick={() => setAdding(true)}>
          {say(words.add)}
        </Button>
      )}
      <AddPasskey open={isAdding} device={device} onAdded={read} onClose={() => setAdding(false)} />
      <RemovePasskey
        passkey={leaving}
        canUse={canUse && passkeys.some(({ host }) => host === null)}
        onRemoved={removed}
        onClose={() => setLeaving(null)}
      />
    </div>
  );
}
