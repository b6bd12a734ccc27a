// Logs out after the questions about unsent text, whose file is loaded when it is needed.

import type { ReactNode } from "react";
import { useState } from "react";
import { logOut, useSession } from "../engine/session";
import { lazyPart, useLazyPart } from "../ui/lazyPart";
import { leave } from "./leaveGuard";

export const logOutQuestions = lazyPart(() => import("./compose/LogOutQuestions"));

export function useLogOut(): [press: () => void, question: ReactNode] {
  const { me } = useSession();
  const [isAsked, setAsked] = useState(false);
  const go = (): void => {
    setAsked(false);
    leave(() => void logOut(), true);
  };
  // If the file of the questions cannot be loaded, the log-out goes on. Nothing is lost, because the draft stays.
  const { part } = useLazyPart(logOutQuestions, isAsked && me !== null, go);
  const press = (): void => {
    if (me === null) go();
    else setAsked(true);
  };
  const question = part !== null && me !== null && (
    <part.LogOutQuestions userId={me.id} onLeave={go} onStay={() => setAsked(false)} />
  );
  return [press, question];
}
