import { useSyncExternalStore } from "react";
import { install } from "../../ui/install";

function watch(changed: () => void): () => void {
  install.changed = changed;
  return () => {
    install.changed = () => undefined;
  };
}

/** Installs Mellow, after the browser has asked; null while the browser does not offer it. */
export function useInstall(): (() => void) | null {
  const offer = useSyncExternalStore(watch, () => install.offer);
  if (offer === null) return null;
  return () => {
    // An offer can be used once.
    install.offer = null;
    install.changed();
    void offer.prompt().catch(() => undefined);
  };
}
