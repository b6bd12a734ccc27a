// Logging out while a draft from another time is kept in this browser: it is asked about, once.
//
// A draft that is on its way to be posted is not asked about: it stays, and its key keeps it from being
// posted twice. When the draft goes meanwhile, so does the question.

import { useEffect, useRef, useState } from "react";
import { NotPosted } from "../../features/drafts/NotPosted";
import { hasDraft } from "../../features/drafts/key";
import { forgetDraftOf } from "./forgetDraft";
import { underway } from "./sendingPosts";

export function LogOutQuestion({
  userId,
  onLogOut,
  onStay,
}: {
  userId: number;
  onLogOut(): void;
  onStay(): void;
}) {
  const [isOnItsWay] = useState(() => underway.has(userId));
  const isAsked = useRef(!isOnItsWay);
  useEffect(() => {
    if (isAsked.current) return;
    isAsked.current = true;
    onLogOut();
  }, [onLogOut]);
  useEffect(() => {
    const look = (): void => {
      if (!hasDraft(userId)) onStay();
    };
    addEventListener("storage", look);
    return () => removeEventListener("storage", look);
  }, [userId, onStay]);
  return (
    <NotPosted
      open={!isOnItsWay}
      logsOut
      onDiscard={() => {
        forgetDraftOf(userId);
        onLogOut();
      }}
      onStay={onStay}
      onSave={onLogOut}
    />
  );
}
