// When a user logs out, this dialog asks once about the draft in this browser.
//
// It does not ask about a draft that is being posted. That draft stays, and its key prevents a second post.
// If the draft is deleted meanwhile, the dialog closes.

import { useEffect, useRef, useState } from "react";
import { NotPosted } from "../../features/drafts/NotPosted";
import { hasDraft } from "../../features/drafts/key";
import { forgetDraftOf } from "./forgetDraft";
import { sendingPosts } from "./sendingPosts";

export function LogOutQuestion({
  userId,
  onLogOut,
  onStay,
}: {
  userId: number;
  onLogOut(): void;
  onStay(): void;
}) {
  const [isOnItsWay] = useState(() => sendingPosts.has(userId));
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
