// The author's way to take a post away, with everything said below it.

import { useState } from "react";
import { Button } from "../../ui/Button";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { toast } from "../../ui/toast";
import type { Id } from "../../store/state";
import { useStore } from "../../store/store";
import { many } from "../../store/words";
import { deletePost } from "./slice";

export function DeletePost({ postId }: { postId: Id }) {
  const count = useStore((s) => s.posts[postId]?.comments_count ?? 0);
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);

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
      <ConfirmDialog title="Delete Post" open={asking} confirm="Delete" danger busy={busy} onConfirm={remove} onClose={() => setAsking(false)}>
        {`This post and its ${many(count, "comment")} will be gone for everyone. This cannot be undone.`}
      </ConfirmDialog>
    </>
  );
}
