// Logging out. What is being written, or was kept from another day, is asked about once: its words
// would otherwise stay in this browser unsaid.

import type { ReactNode } from "react";
import { useState } from "react";
import { hasDraft } from "../features/drafts/key";
import { logOut, useSession } from "../store/session";
import { isGuarded, leave } from "./door";

export function useLogOut(): [press: () => void, question: ReactNode] {
  const { me } = useSession();
  const [question, setQuestion] = useState<ReactNode>(null);
  const go = (): void => void logOut();
  const press = (): void => {
    if (isGuarded() || me === null || !hasDraft(me.id)) {
      leave(go, true);
      return;
    }
    // Without the file that asks (no line, an older build) the draft stays, which loses nothing.
    import("./compose/LogOutQuestion").then(({ LogOutQuestion }) => {
      const done = (): void => setQuestion(null);
      const logOutNow = (): void => {
        done();
        go();
      };
      setQuestion(<LogOutQuestion userId={me.id} onLogOut={logOutNow} onStay={done} />);
    }, go);
  };
  return [press, question];
}
