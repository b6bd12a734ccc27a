// Where the dialog stands when a login has ended elsewhere. Its file is here before (Routes.tsx fetches
// ahead), and then it is shown at once; on a slow connection it is asked for until it comes.

import { useEffect } from "react";
import { useSession } from "../engine/session";
import { lazyPart, useLazyPart } from "../ui/lazyPart";

export const endedDialog = lazyPart(() => import("../features/auth/LoginEndedDialog"));

const AGAIN_MS = 3_000;

export function LoginEnded({ onLogOut }: { onLogOut(): void }) {
  const { phase } = useSession();
  const { part, failed, again } = useLazyPart(endedDialog, phase === "ended");
  useEffect(() => {
    if (!failed) return;
    const timer = setTimeout(again, AGAIN_MS);
    return () => clearTimeout(timer);
  }, [failed, again]);
  return part === null ? null : <part.default onLogOut={onLogOut} />;
}
