// Reads the token in the fragment of a mail's link. The token is removed from the address and the history at
// once, is sent only in the requests that need it, and works once.

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
    // Another link may be opened on the same page.
    addEventListener("hashchange", take);
    return () => removeEventListener("hashchange", take);
  }, []);
  return fragment;
}

export type MailLink = { isUndo: boolean; token: string };

/** Returns the token and what it is for; null if the fragment has no token, as after a reload. */
export function mailLink(fragment: string): MailLink | null {
  const [, undo, token] = /^#(undo-)?([A-Za-z0-9_-]{43})$/u.exec(fragment) ?? [];
  return token === undefined ? null : { isUndo: undo !== undefined, token };
}
