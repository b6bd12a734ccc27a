// Shows the dialog for a login that was ended elsewhere. Routes.tsx loads the file of the dialog in advance,
// so that it is shown at once. If that fails, the file is requested again until it arrives.

import { useEffect } from "react";
import { LOAD_RETRY_MS, useSession } from "../engine/session";
import { lazyPart, useLazyPart } from "../ui/lazyPart";

export const endedDialog = lazyPart(() => import("../features/auth/LoginEndedDialog"));

export function LoginEnded({ onLogOut }: { onLogOut(): void }) {
  const { phase } = useSession();
  const { part, failed, again } = useLazyPart(endedDialog, phase === "ended");
  useEffect(() => {
    if (!failed) return;
    const timer = setTimeout(again, LOAD_RETRY_MS);
    return () => clearTimeout(timer);
  }, [failed, again]);
  return part === null ? null : <part.default onLogOut={onLogOut} />;
}
