// The viewer's own followers, or the people they follow: a list of links by name.

import { useEffect, useState } from "react";
import { Link } from "wouter";
import { Avatar } from "../../ui/Avatar";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { InlineError } from "../../ui/InlineError";
import type { Id } from "../../store/state";
import type { Side, User } from "../../wire/types.gen";
import { shorten } from "../../store/words";
import { readFollows } from "./slice";
import styles from "./follows.module.css";

const NAME_MAX = 20;

export function FollowsDialog({ side, onClose }: { side: Side | null; onClose(): void }) {
  return (
    <Dialog closeButton title={side === "following" ? "Following" : "Followers"} open={side !== null} onClose={onClose}>
      {side !== null && <People key={side} side={side} onLeave={onClose} />}
    </Dialog>
  );
}

function People({ side, onLeave }: { side: Side; onLeave(): void }) {
  const [people, setPeople] = useState<User[]>([]);
  const [older, setOlder] = useState<Id | null>(null);
  const [status, setStatus] = useState<"loading" | "ready" | "failed">("loading");

  const read = async (before: Id | null) => {
    setStatus("loading");
    try {
      const page = await readFollows(side, before);
      setPeople((held) => [...held, ...page.users.filter((user) => !held.some((one) => one.id === user.id))]);
      setOlder(page.older);
      setStatus("ready");
    } catch {
      setStatus("failed");
    }
  };

  useEffect(() => {
    void read(null);
  }, [side]);

  return (
    <div className={styles.people}>
      {status === "ready" && people.length === 0 && (
        <p className={styles.none}>{side === "followers" ? "Nobody follows you yet." : "You follow nobody yet."}</p>
      )}
      {people.length > 0 && (
        <ul role="list" className={styles.list}>
          {people.map((user) => (
            <li key={user.id}>
              <Link href={`/profile/${user.id}`} className={styles.person} onClick={onLeave}>
                <span aria-hidden="true">
                  <Avatar id={user.id} name={user.name} size={32} />
                </span>
                <bdi>{shorten(user.name, NAME_MAX)}</bdi>
              </Link>
            </li>
          ))}
        </ul>
      )}
      {status === "loading" && <p className={styles.none}>Loading</p>}
      {status === "failed" && <InlineError onRetry={() => void read(older)} />}
      {status === "ready" && older !== null && (
        <Button variant="quiet" onClick={() => void read(older)}>
          Show more
        </Button>
      )}
    </div>
  );
}
