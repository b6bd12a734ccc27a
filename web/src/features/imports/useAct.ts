// Runs the requests of buttons.

import { useState } from "react";
import { catchFocus } from "../../ui/focus";
import { reasonOf } from "./api";

export type Acting = {
  busy: boolean;
  /** Why the last request was refused. */
  wrong: string | null;
  /** Sends a request. The button, which is disabled meanwhile, gets its focus back. */
  act(what: () => Promise<void>, button: HTMLElement): void;
};

export function useAct(): Acting {
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState<string | null>(null);
  const run = async (what: () => Promise<void>, button: HTMLElement): Promise<void> => {
    setBusy(true);
    setWrong(null);
    try {
      await what();
    } catch (error) {
      setWrong(reasonOf(error));
    }
    setBusy(false);
    catchFocus(() => (button.isConnected ? button : null));
  };
  return { busy, wrong, act: (what, button) => void run(what, button) };
}
