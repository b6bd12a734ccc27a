// The dialog with the viewer's followers, or with the people they follow: a list of links by name.
//
// Promise: the open list shows every change: new and lost followers, new names, deleted accounts.

import { useState } from "react";
import { refusalText } from "../../engine/refusalText";
import type { Id } from "../../engine/state";
import { useStore } from "../../engine/store";
import type { Side } from "../../engine/types.gen";
import { say, sayAs } from "../../say";
import { common } from "../../text";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { InlineError } from "../../ui/InlineError";
import { toast } from "../../ui/toast";
import { removeFollower } from "../shared/people/hide";
import { PeopleList } from "../shared/people/PeopleList";
import { useFollows } from "../shared/people/useFollows";
import styles from "./follows.module.css";

export function FollowsDialog({ side, onClose }: { side: Side | null; onClose(): void }) {
  return (
    <Dialog
      closeButton
      title={side === "following" ? sayAs("count", "Following") : say("Followers")}
      open={side !== null}
      onClose={onClose}
    >
      {side !== null && <Follows key={side} side={side} onLeave={onClose} />}
    </Dialog>
  );
}

/** The button that removes a follower at once. The list is read again when the count changes. */
function RemoveButton({ userId }: { userId: Id }) {
  const [busy, setBusy] = useState(false);
  const remove = async () => {
    setBusy(true);
    try {
      await removeFollower(userId);
      toast(say("Follower removed"));
    } catch (error) {
      toast(refusalText(error, say("That didn't go through. Please try again.")), { error: true });
      setBusy(false);
    }
  };
  return (
    <Button variant="plain" small busy={busy} onClick={() => void remove()}>
      {say("Remove Follower")}
    </Button>
  );
}

function Follows({ side, onLeave }: { side: Side; onLeave(): void }) {
  const { users, hasMore, status, more } = useFollows(side);
  const follows = useStore((s) => s.follows);
  const people = users?.filter((user) => side === "followers" || follows[user.id]?.following !== false);
  return (
    <div className={styles.people}>
      {people !== undefined && (
        <PeopleList
          people={people}
          none={say(side === "followers" ? "Nobody follows you yet." : "You follow nobody yet.")}
          hasMore={hasMore && status !== "failed"}
          busy={status === "loading"}
          more={more}
          onLeave={onLeave}
          {...(side === "followers" ? { beside: (user) => <RemoveButton userId={user.id} /> } : {})}
        />
      )}
      {status === "loading" && users === null && <p className={styles.none}>{say(common.loading)}</p>}
      {status === "failed" && <InlineError onRetry={() => void more()} />}
    </div>
  );
}
