// The dialog in which the author deletes a post and everything below it.
//
// Promise: without a connection the dialog can still be closed, and the request goes on.

import { useEffect, useState } from "react";
import { useSendingNote } from "../shared/sending";
import { Button } from "../../ui/Button";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { announce } from "../../ui/announce";
import { toast } from "../../ui/toast";
import type { Id } from "../../engine/state";
import { useStore } from "../../engine/store";
import { many } from "../shared/text";
import { deletePost } from "./api";

export function DeletePost({ postId }: { postId: Id }) {
  const count = useStore((s) => s.posts[postId]?.comments_count ?? 0);
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const note = useSendingNote(busy);
  useEffect(() => {
    if (note !== undefined) announce(note);
  }, [note]);

  const remove = async () => {
    setBusy(true);
    try {
      await deletePost(postId);
      toast("Post deleted successfully");
    } catch {
      toast("Error deleting post. Please try again.", { error: true });
    }
    setBusy(false);
    setAsking(false);
  };

  return (
    <>
      <Button variant="quiet" onClick={() => setAsking(true)}>
        Delete
      </Button>
      <ConfirmDialog
        title="Delete Post"
        open={asking}
        confirm="Delete"
        danger
        busy={busy}
        goesOn
        note={note}
        onConfirm={remove}
        onClose={() => setAsking(false)}
      >
        {`This post and its ${many(count, "comment")} will be gone for everyone. This cannot be undone.`}
      </ConfirmDialog>
    </>
  );
}
