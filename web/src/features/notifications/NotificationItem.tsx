// One notification: the actor, the action, the text, the time and a link. The first of the comments on a post
// has the quote of the post above it; of a post with a content note, only the note.

import { useId } from "react";
import { Trash2 } from "lucide-react";
import { Link } from "wouter";
import { Avatar } from "../../ui/Avatar";
import { Hidden } from "../../ui/Hidden";
import { RelativeTime } from "../../ui/RelativeTime";
import { Note } from "../../ui/Note";
import { Say } from "../../ui/Say";
import type { NotificationEntry } from "./state";
import { useStore } from "../../engine/store";
import { say, sayAs } from "../../say";
import styles from "./notifications.module.css";

const DID = {
  comment: "{name} commented on your post",
  reply: "{name} replied to you",
  follow: "{name} started following you",
} as const;

type NotificationItemProps = {
  notice: NotificationEntry;
  /** The heading of the day, for the first notification of each day. */
  day: string | null;
  /** Whether it stands below another comment on the same post, and needs no quote of its own. */
  isJoined: boolean;
  /** Whether it was not seen before this visit. */
  isNew: boolean;
  /** The reason why it could not be deleted. */
  refused: string | undefined;
  onDelete(): void;
};

export function NotificationItem(props: NotificationItemProps) {
  const { notice, day, isJoined, isNew, refused, onDelete } = props;
  const actor = useStore((s) => s.users[notice.actor_id]);
  const name = actor?.name ?? "";
  const lineId = useId();
  const textId = useId();
  // One person may comment on a post more than once.
  const about = notice.comment_text === null ? lineId : `${lineId} ${textId}`;
  return (
    <li data-new={isNew || undefined} data-joined={isJoined || undefined}>
      {day !== null && <h2 className={styles.day}>{day}</h2>}
      {!isJoined && <Quote notice={notice} />}
      <div className={styles.item} data-place={notice.id}>
        <span className={styles.avatar} aria-hidden="true">
          <Avatar id={notice.actor_id} name={name} photo={actor?.photo_url} size={40} />
        </span>
        <div className={styles.body}>
          <p className={styles.line} id={lineId}>
            <Say
              text={DID[notice.kind]}
              name={
                <Link href={`/profile/${notice.actor_id}`} className={styles.name}>
                  <bdi>{name}</bdi>
                </Link>
              }
            />
          </p>
          {notice.comment_text !== null && (
            <p className={styles.comment} id={textId} dir="auto">
              {notice.comment_text}
            </p>
          )}
          <p className={styles.foot}>
            <span className={styles.time}>
              <RelativeTime ms={notice.created_at_ms} />
            </span>
            {isNew && <Hidden>{sayAs("mark", "New")}</Hidden>}
            {notice.post_id !== null && (
              <Link href={`/post/${notice.post_id}`} className={styles.view} aria-describedby={about}>
                {say("View Post")}
              </Link>
            )}
          </p>
          <Note text={refused} className={styles.refused} />
        </div>
        <button
          type="button"
          className={styles.delete}
          aria-label={say("Delete")}
          aria-describedby={about}
          onClick={onDelete}
        >
          <Trash2 size={18} strokeWidth={1.75} aria-hidden="true" />
        </button>
      </div>
    </li>
  );
}

function Quote({ notice: { post_text, content_note } }: { notice: NotificationEntry }) {
  if (post_text === null && content_note === null) return null;
  return (
    <p className={styles.quote}>
      {content_note === null ? (
        <span dir="auto">{post_text}</span>
      ) : (
        <span>
          <Say text="Content note: {note}" note={<bdi>{content_note}</bdi>} />
        </span>
      )}
    </p>
  );
}
