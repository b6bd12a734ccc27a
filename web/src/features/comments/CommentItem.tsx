// One comment: who, what, when, and for its author or the post's a way to take it away.

import { useState } from "react";
import { Trash2 } from "lucide-react";
import { Link } from "wouter";
import { Avatar } from "../../ui/Avatar";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { RelativeTime } from "../../ui/RelativeTime";
import { UserText } from "../../ui/UserText";
import type { Id } from "../../store/state";
import { useStore } from "../../store/store";
import { deleteComment } from "./slice";
import styles from "./comments.module.css";

export function CommentItem({ commentId, postId, postAuthorId }: { commentId: Id; postId: Id; postAuthorId: Id }) {
  const comment = useStore((s) => s.comments[commentId]);
  const name = useStore((s) => s.users[comment?.author_id ?? 0]?.name ?? "");
  const me = useStore((s) => s.session.me?.id);
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState(false);
  if (comment === undefined) return null;
  const mine = me !== undefined && (comment.author_id === me || postAuthorId === me);

  const remove = async () => {
    setBusy(true);
    setFailed(false);
    try {
      await deleteComment(postId, commentId);
    } catch {
      setFailed(true);
    }
    setBusy(false);
    setAsking(false);
  };

  return (
    <li className={styles.item}>
      <span className={styles.avatar} aria-hidden="true">
        <Avatar id={comment.author_id} name={name} size={32} />
      </span>
      <div className={styles.body}>
        <div className={styles.head}>
          <Link href={`/profile/${comment.author_id}`} className={styles.name}>
            <bdi>{name}</bdi>
          </Link>
          <span className={styles.time}>
            <RelativeTime ms={comment.created_at_ms} />
          </span>
          {mine && (
            <button type="button" className={styles.delete} aria-label="Delete comment" onClick={() => setAsking(true)}>
              <Trash2 size={18} strokeWidth={1.75} aria-hidden="true" />
            </button>
          )}
        </div>
        <div className={styles.text} dir="auto">
          <UserText text={comment.text} />
        </div>
        {failed && <p className={styles.note}>That comment is still here. Please try again.</p>}
      </div>
      <ConfirmDialog title="Delete Comment" open={asking} confirm="Delete" danger busy={busy} goesOn onConfirm={remove} onClose={() => setAsking(false)}>
        Are you sure you want to delete this comment? This action cannot be undone.
      </ConfirmDialog>
    </li>
  );
}
