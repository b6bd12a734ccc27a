import { useSyncExternalStore } from "react";
import { install } from "../../ui/install";

function watch(changed: () => void): () => void {
  install.changed = changed;
  return () => {
    install.changed = () => undefined;
  };
}

/**
 * Returns a function that makes the browser ask whether to install Mellow; null if the browser does not offer
 * it.
 */
export function useInstall(): (() => void) | null {
  const installPrompt = useSyncExternalStore(watch, () => install.prompt);
  if (installPrompt === null) return null;
  return () => {
    // An offer can be used only once.
    install.prompt = null;
    install.changed();
    // If this fails, the browser decides when to offer it again.
    void installPrompt.prompt().catch(() => undefined);
  };
}
