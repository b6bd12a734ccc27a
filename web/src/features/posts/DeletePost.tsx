// The author's way to take a post away, with everything said below it.
//
// Promise: a line that is away locks nobody in: the dialog can be closed, what was asked goes on.

import { useEffect, useState } from "react";
import { Button } from "../../ui/Button";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { announce } from "../../ui/announce";
import { toast } from "../../ui/toast";
import { useSlow } from "../../store/slow";
import type { Id } from "../../store/state";
import { useStore } from "../../store/store";
import { many } from "../../store/words";
import { deletePost } from "./slice";

export function DeletePost({ postId }: { postId: Id }) {
  const count = useStore((s) => s.posts[postId]?.comments_count ?? 0);
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const slow = useSlow(busy);
  const offline = useStore((s) => s.connection.state === "offline");
  const note = offline ? "Saved. It will go out when you're back online." : "Sending";
  useEffect(() => {
    if (slow) announce(note);
  }, [slow, note]);

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
        note={slow ? note : undefined}
        onConfirm={remove}
        onClose={() => setAsking(false)}
      >
        {`This post and its ${many(count, "comment")} will be gone for everyone. This cannot be undone.`}
      </ConfirmDialog>
    </>
  );
}
