// The button that deletes a comment, for its author and the author of the post. The confirmation dialog is
// loaded when it is needed.

import { useState } from "react";
import { Trash2 } from "lucide-react";
import { lazyPart, usePreload, useLazyPart } from "../../ui/lazyPart";
import type { Id } from "../../engine/state";
import { deleteComment } from "./api";
import styles from "./comments.module.css";

const dialog = lazyPart(() => import("../../ui/ConfirmDialog"));

type DeleteCommentProps = {
  commentId: Id;
  postId: Id;
  /** Whether the last try failed. */
  onFailed(failed: boolean): void;
};

export function DeleteComment({ commentId, postId, onFailed }: DeleteCommentProps) {
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const { part } = useLazyPart(dialog, asking, () => {
    setAsking(false);
    onFailed(true);
  });
  usePreload(dialog);

  const remove = async () => {
    setBusy(true);
    onFailed(false);
    await deleteComment(postId, commentId).catch(() => onFailed(true));
    setBusy(false);
    setAsking(false);
  };

  return (
    <>
      <button
        type="button"
        className={styles.act}
        aria-label="Delete comment"
        onClick={() => setAsking(true)}
      >
        <Trash2 size={16} strokeWidth={1.75} aria-hidden="true" />
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
