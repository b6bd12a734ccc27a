// The two ways in which the author deletes a post and its comments: a button, and an item of the post's menu, whose
// question is shown while `open`.

import type { Id } from "../../engine/state";
import { useStore } from "../../engine/store";
import type { Deletion } from "../shared/DeleteButton";
import { DeleteButton, DeleteQuestion } from "../shared/DeleteButton";
import { many, say } from "../../say";
import { deletePost } from "./api";

function useDeletion(postId: Id): Deletion {
  const count = useStore((s) => s.posts[postId]?.comments_count ?? 0);
  return {
    title: say("Delete Post"),
    done: say("Post deleted successfully"),
    failed: say("Error deleting post. Please try again."),
    onDelete: () => deletePost(postId),
    children: many(
      count,
      "This post and its {n} comment will be gone for everyone. This cannot be undone.",
      "This post and its {n} comments will be gone for everyone. This cannot be undone.",
    ),
  };
}

export function DeletePost({ postId }: { postId: Id }) {
  return <DeleteButton variant="plain" {...useDeletion(postId)} />;
}

export function DeletePostQuestion({ postId, ...shown }: { postId: Id; open: boolean; onClose(): void }) {
  return <DeleteQuestion {...useDeletion(postId)} {...shown} />;
}
