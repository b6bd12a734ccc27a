// The questions before a log-out. The first is about requests that were not sent, which the log-out would
// delete. The second is about unposted text or a draft, which would stay in this browser.

import { useState } from "react";
import { logOut } from "../../engine/session";
import { hasDraft } from "../../features/drafts/key";
import { isGuarded } from "../leaveGuard";
import { NotSentYet } from "../offline/NotSentYet";
import { LogOutQuestion } from "./LogOutQuestion";
import { focusAfterLogOut } from "./focusAfterLogOut";

export function LogOutQuestions({
  userId,
  onLeave,
  onStay,
}: {
  userId: number;
  /** Leaves through the leave guard of the page. */
  onLeave(): void;
  onStay(): void;
}) {
  const [mayLose, setMayLose] = useState(false);
  if (!mayLose) {
    const goOn = (): void => {
      if (isGuarded() || !hasDraft(userId)) {
        focusAfterLogOut();
        onLeave();
      } else setMayLose(true);
    };
    return <NotSentYet userId={userId} onLogOut={goOn} onStay={onStay} />;
  }
  const logOutNow = (): void => {
    onStay();
    focusAfterLogOut();
    void logOut();
  };
  return <LogOutQuestion userId={userId} onLogOut={logOutNow} onStay={onStay} />;
}
