// The viewer's own followers, or the people they follow: a list of links by name.
//
// Promise: the open list follows every change: new and lost followers, new names, deleted accounts.

import { useStore } from "../../engine/store";
import type { Side } from "../../engine/types.gen";
import { common } from "../../text";
import { Dialog } from "../../ui/Dialog";
import { InlineError } from "../../ui/InlineError";
import { PeopleList } from "../shared/people/PeopleList";
import { useFollows } from "../shared/people/useFollows";
import styles from "./follows.module.css";

export function FollowsDialog({ side, onClose }: { side: Side | null; onClose(): void }) {
  return (
    <Dialog
      closeButton
      title={side === "following" ? "Following" : "Followers"}
      open={side !== null}
      onClose={onClose}
    >
      {side !== null && <Follows key={side} side={side} onLeave={onClose} />}
    </Dialog>
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
          none={side === "followers" ? "Nobody follows you yet." : "You follow nobody yet."}
          hasMore={hasMore && status !== "failed"}
          busy={status === "loading"}
          more={more}
          onLeave={onLeave}
        />
      )}
      {status === "loading" && users === null && <p className={styles.none}>{common.loading}</p>}
      {status === "failed" && <InlineError onRetry={() => void more()} />}
    </div>
  );
}
