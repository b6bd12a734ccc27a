// The button that deletes a comment, for the author of the comment, the author of the post and the owner of the
// post's group. The confirmation dialog is loaded when it is needed.

import { useState } from "react";
import { Trash2 } from "lucide-react";
import { lazyPart, usePreload, useLazyPart } from "../../ui/lazyPart";
import type { Id } from "../../engine/state";
import { useStore } from "../../engine/store";
import { say } from "../../say";
import { STILL_HERE } from "./api";
import styles from "./comments.module.css";

const dialog = lazyPart(() => import("./DeleteCommentDialog"));

type DeleteCommentProps = {
  commentId: Id;
  postId: Id;
  /** Called with the message if the deletion failed; with null before it is tried. */
  onFailed(message: string | null): void;
};

export function DeleteComment({ commentId, postId, onFailed }: DeleteCommentProps) {
  const [asking, setAsking] = useState(false);
  const isKept = useStore((s) => s.kept !== null);
  const { part } = useLazyPart(dialog, asking, () => {
    setAsking(false);
    onFailed(say(STILL_HERE));
  });
  usePreload(dialog);

  return (
    <>
      <button
        type="button"
        className={styles.act}
        aria-label={say("Delete comment")}
        disabled={isKept}
        onClick={() => setAsking(true)}
      >
        <Trash2 size={16} strokeWidth={1.75} aria-hidden="true" />
      </button>
      {part !== null && (
        <part.DeleteCommentDialog
          commentId={commentId}
          postId={postId}
          open={asking}
          onFailed={onFailed}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
