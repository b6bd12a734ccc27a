// The two ways in which the author deletes a post and its comments: a button, and an item of the post's menu, whose
// question is shown while `open`.

import type { Id } from "../../engine/state";
import { useStore } from "../../engine/store";
import type { Deletion } from "../shared/DeleteButton";
import { DeleteButton, DeleteQuestion } from "../shared/DeleteButton";
import { many } from "../shared/text";
import { deletePost } from "./api";

function useDeletion(postId: Id): Deletion {
  const count = useStore((s) => s.posts[postId]?.comments_count ?? 0);
  return {
    title: "Delete Post",
    done: "Post deleted successfully",
    failed: "Error deleting post. Please try again.",
    onDelete: () => deletePost(postId),
    children: `This post and its ${many(count, "comment")} will be gone for everyone. This cannot be undone.`,
  };
}

export function DeletePost({ postId }: { postId: Id }) {
  return <DeleteButton variant="plain" {...useDeletion(postId)} />;
}

export function DeletePostQuestion({ postId, ...shown }: { postId: Id; open: boolean; onClose(): void }) {
  return <DeleteQuestion {...useDeletion(postId)} {...shown} />;
}
