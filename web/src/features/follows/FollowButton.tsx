// Follow and Unfollow, on somebody else's profile.

import { Button } from "../../ui/Button";
import { toast } from "../../ui/toast";
import { shownFollowing } from "../../store/pending";
import type { Id } from "../../store/state";
import { useStore } from "../../store/store";
import { pressFollow } from "./slice";

export function FollowButton({ userId }: { userId: Id }) {
  const following = useStore((s) => shownFollowing(s, userId));
  const busy = useStore((s) => userId in s.pending.follows);

  const press = async () => {
    try {
      toast((await pressFollow(userId)) ? "Following successfully" : "Unfollowed successfully");
    } catch {
      toast("Error updating follow status. Try refreshing the page.", { error: true });
    }
  };

  return (
    <Button variant={following ? "quiet" : "primary"} disabled={busy} onClick={() => void press()}>
      {following ? "Unfollow" : "Follow"}
    </Button>
  );
}
