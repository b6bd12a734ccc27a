// Reads the secret in the fragment of a mail's link, which works once. It is removed from the address and the
// history at once, and is sent only in the one request that needs it.

import { useEffect, useState } from "react";

export function useFragment(): string {
  const [fragment, setFragment] = useState(() => location.hash);
  useEffect(() => {
    const take = (): void => {
      if (location.hash === "") return;
      setFragment(location.hash);
      history.replaceState(history.state, "", location.pathname + location.search);
    };
    take();
    // Another link, opened on the page that is already there.
    addEventListener("hashchange", take);
    return () => removeEventListener("hashchange", take);
  }, []);
  return fragment;
}

export type MailLink = { isUndo: boolean; token: string };

/** Null when it is no secret of ours, as after a reload. */
export function mailLink(fragment: string): MailLink | null {
  const [, undo, token] = /^#(undo-)?([A-Za-z0-9_-]{43})$/u.exec(fragment) ?? [];
  return token === undefined ? null : { isUndo: undo !== undefined, token };
}
