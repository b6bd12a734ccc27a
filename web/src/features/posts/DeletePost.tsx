// The button with which the author deletes a post and its comments.

import type { Id } from "../../engine/state";
import { useStore } from "../../engine/store";
import { DeleteButton } from "../shared/DeleteButton";
import { many } from "../shared/text";
import { deletePost } from "./api";

export function DeletePost({ postId }: { postId: Id }) {
  const count = useStore((s) => s.posts[postId]?.comments_count ?? 0);
  return (
    <DeleteButton
      variant="quiet"
      title="Delete Post"
      done="Post deleted successfully"
      failed="Error deleting post. Please try again."
      onDelete={() => deletePost(postId)}
    >
      {`This post and its ${many(count, "comment")} will be gone for everyone. This cannot be undone.`}
    </DeleteButton>
  );
}
