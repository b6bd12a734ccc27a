// The dialog that asks before a comment is deleted.

import { useState } from "react";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import type { Id } from "../../engine/state";
import { deleteComment } from "./deleteComment";

type DeleteCommentDialogProps = {
  commentId: Id;
  postId: Id;
  open: boolean;
  /** Called with whether the last try failed. */
  onFailed(failed: boolean): void;
  onClose(): void;
};

export function DeleteCommentDialog({
  commentId,
  postId,
  open,
  onFailed,
  onClose,
}: DeleteCommentDialogProps) {
  const [busy, setBusy] = useState(false);
  const remove = async () => {
    setBusy(true);
    onFailed(false);
    await deleteComment(postId, commentId).catch(() => onFailed(true));
    setBusy(false);
    onClose();
  };
  return (
    <ConfirmDialog
      title="Delete Comment"
      open={open}
      confirm="Delete"
      danger
      busy={busy}
      goesOn
      onConfirm={() => void remove()}
      onClose={onClose}
    >
      Are you sure you want to delete this comment? This action cannot be undone.
    </ConfirmDialog>
  );
}
