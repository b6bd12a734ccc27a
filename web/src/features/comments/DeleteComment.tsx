// The way to take a comment away, for its author and for the post's. The question comes when it is wanted.

import { useEffect, useState } from "react";
import { Trash2 } from "lucide-react";
import { later, useAhead, useLater } from "../../ui/later";
import type { Id } from "../../store/state";
import { deleteComment } from "./slice";
import styles from "./comments.module.css";

const dialog = later(() => import("../../ui/ConfirmDialog"));

type DeleteCommentProps = {
  commentId: Id;
  postId: Id;
  /** Whether the last try failed. */
  onFailed(failed: boolean): void;
};

export function DeleteComment({ commentId, postId, onFailed }: DeleteCommentProps) {
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const { part, failed, again } = useLater(dialog, asking);
  useAhead(dialog);

  useEffect(() => {
    if (!failed) return;
    again();
    setAsking(false);
    onFailed(true);
  }, [failed]);

  const remove = async () => {
    setBusy(true);
    onFailed(false);
    await deleteComment(postId, commentId).catch(() => onFailed(true));
    setBusy(false);
    setAsking(false);
  };

  return (
    <>
      <button type="button" className={styles.delete} aria-label="Delete comment" onClick={() => setAsking(true)}>
        <Trash2 size={18} strokeWidth={1.75} aria-hidden="true" />
      </button>
      {part !== null && (
        <part.ConfirmDialog
          title="Delete Comment"
          open={asking}
          confirm="Delete"
          danger
          busy={busy}
          goesOn
          onConfirm={() => void remove()}
          onClose={() => setAsking(false)}
        >
          Are you sure you want to delete this comment? This action cannot be undone.
        </part.ConfirmDialog>
      )}
    </>
  );
}
