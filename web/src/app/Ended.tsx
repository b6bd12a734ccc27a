// Where the dialog stands when a login has ended elsewhere. Its file is here before (Routes.tsx fetches
// ahead), and then it is shown in the same breath; on a poor line it is asked for until it comes.

import { useEffect } from "react";
import { useSession } from "../store/session";
import { later, useLater } from "../ui/later";

export const endedDialog = later(() => import("../features/auth/EndedDialog"));

const AGAIN_MS = 3_000;

export function Ended({ onLogOut }: { onLogOut(): void }) {
  const { phase } = useSession();
  const { part, failed, again } = useLater(endedDialog, phase === "ended");
  useEffect(() => {
    if (!failed) return;
    const timer = setTimeout(again, AGAIN_MS);
    return () => clearTimeout(timer);
  }, [failed]);
  return part === null ? null : <part.default onLogOut={onLogOut} />;
}
