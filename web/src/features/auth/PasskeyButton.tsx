// The button that logs in with a passkey, and the suggestion of passkeys in the field `Email` (D-V4). It is absent
// where passkeys do not work.
//
// Promise: at most one question of the browser is open, and none after the page is left.

import { useEffect, useEffectEvent, useRef, useState } from "react";
import type { Id } from "../../engine/state";
import type { Me } from "../../engine/types.gen";
import { say } from "../../say";
import { Button } from "../../ui/Button";
import { catchFocus } from "../../ui/focus";
import { lazyPart } from "../../ui/lazyPart";
import { toast } from "../../ui/toast";
import { canUsePasskeys } from "../shared/passkeys/place";
import { account } from "./account";
import { logInRefusalText } from "./logInRefusalText";

const work = lazyPart(() => import("./passkeyLogIn"));

type PasskeyButtonProps = {
  /** Only this person may log in; null: anybody. */
  userId: Id | null;
  /** The browser suggests passkeys in the field `Email` too. */
  suggests?: boolean;
  onDone?(me: Me): void;
};

export function PasskeyButton(props: PasskeyButtonProps) {
  const [isHere] = useState(canUsePasskeys);
  return isHere ? <Working {...props} /> : null;
}

function Working({ userId, suggests = false, onDone }: PasskeyButtonProps) {
  const [busy, setBusy] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const running = useRef<AbortController | null>(null);
  const done = useEffectEvent((me: Me) => onDone?.(me));

  // A press ends the suggestion. It comes back if the press came to nothing.
  useEffect(() => {
    if (!suggests || busy) return;
    running.current = replace(running.current);
    const { signal } = running.current;
    const failed = (error: unknown): void => toast(logInRefusalText(error), { error: true });
    void work
      .fetch()
      .then(({ suggestPasskeys }) => suggestPasskeys(signal, { done: (me) => done(me), failed }))
      // Without its file, or in a browser that suggests none, there is still the button.
      .catch(() => undefined);
  }, [suggests, busy]);
  useEffect(() => () => running.current?.abort(), []);

  const press = async (): Promise<void> => {
    running.current = replace(running.current);
    const { signal } = running.current;
    setBusy(true);
    try {
      const me = await (await work.fetch()).logInWithPasskey(userId, signal);
      if (me !== null) {
        // The screen is left now, or the dialog closes.
        onDone?.(me);
        return;
      }
    } catch (error) {
      toast(logInRefusalText(error), { error: true });
    }
    setBusy(false);
    catchFocus(() => button.current);
  };

  return (
    <Button ref={button} variant="quiet" wide busy={busy} onClick={() => void press()}>
      {say(account.withPasskey)}
    </Button>
  );
}

/** Ends what the browser asks or suggests now. Returns what ends the next question. */
function replace(open: AbortController | null): AbortController {
  open?.abort();
  return new AbortController();
}
