// The button to follow and unfollow, on the profile of another user and, as a small button, in lists of
// people.

import { useRef } from "react";
import { say } from "../../say";
import { Button } from "../../ui/Button";
import { catchFocus } from "../../ui/focus";
import { toast } from "../../ui/toast";
import { SendingNote } from "../shared/sending";
import { shownFollowing } from "../shared/people/follows";
import { refusalText } from "../../engine/refusalText";
import type { Id } from "../../engine/state";
import { useStore } from "../../engine/store";
import { pressFollow } from "./api";

export function FollowButton({ userId, small = false }: { userId: Id; small?: boolean }) {
  const following = useStore((s) => shownFollowing(s, userId));
  const busy = useStore((s) => userId in s.pending.follows);

  const button = useRef<HTMLButtonElement>(null);

  const press = async () => {
    try {
      toast(say((await pressFollow(userId)) ? "Following successfully" : "Unfollowed successfully"));
    } catch (error) {
      const otherwise = say("Error updating follow status. Try refreshing the page.");
      toast(refusalText(error, otherwise), { error: true });
    }
    catchFocus(() => button.current);
  };

  return (
    <>
      <Button
        ref={button}
        small={small}
        variant={following ? (small ? "plain" : "quiet") : small ? "quiet" : "primary"}
        disabled={busy}
        onClick={() => void press()}
      >
        {say(following ? "Unfollow" : "Follow")}
      </Button>
      <SendingNote busy={busy} />
    </>
  );
}
