// Logging out. What was not sent would be lost, and is asked about first. Unposted text and a kept draft are asked about
// once, because they would stay in this browser.

import type { ReactNode } from "react";
import { useState } from "react";
import { hasDraft } from "../features/drafts/key";
import { logOut, useSession } from "../engine/session";
import { isGuarded, leave } from "./leaveGuard";

export function useLogOut(): [press: () => void, question: ReactNode] {
  const { me } = useSession();
  const [question, setQuestion] = useState<ReactNode>(null);
  const go = (): void => void logOut();
  const press = (): void => {
    if (me === null) {
      askAboutDraft();
      return;
    }
    import("./offline/NotSentYet").then(({ NotSentYet }) => {
      const done = (): void => setQuestion(null);
      const goOn = (): void => {
        done();
        askAboutDraft();
      };
      setQuestion(<NotSentYet userId={me.id} onLogOut={goOn} onStay={done} />);
    }, askAboutDraft);
  };
  const askAboutDraft = (): void => {
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
