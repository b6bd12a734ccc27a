// The dialog that asks before a comment is deleted.

import { useState } from "react";
import { refusalText } from "../../engine/refusalText";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import type { Id } from "../../engine/state";
import { say } from "../../say";
import { STILL_HERE } from "./api";
import { deleteComment } from "./deleteComment";

type DeleteCommentDialogProps = {
  commentId: Id;
  postId: Id;
  open: boolean;
  /** Called with the message if the deletion failed; with null before it is tried. */
  onFailed(message: string | null): void;
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
    onFailed(null);
    const failed = await deleteComment(postId, commentId).then(
      () => null,
      (error: unknown) => refusalText(error, say(STILL_HERE)),
    );
    // The dialog is closed first, because the message is not announced while the page is inert.
    setBusy(false);
    onClose();
    onFailed(failed);
  };
  return (
    <ConfirmDialog
      title={say("Delete Comment")}
      open={open}
      confirm={say("Delete")}
      danger
      busy={busy}
      goesOn
      onConfirm={() => void remove()}
      onClose={onClose}
    >
      {say("Are you sure you want to delete this comment? This action cannot be undone.")}
    </ConfirmDialog>
  );
}
