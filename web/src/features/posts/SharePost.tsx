// Shares a public post by the device's share sheet, or copies its link if there is none.

import type { Id } from "../../engine/state";
import { useStore } from "../../engine/store";
import { sayAs } from "../../say";
import { shareLink } from "../../ui/shareLink";
import styles from "./posts.module.css";
import { sharePost } from "./share";

export function SharePost({ postId }: { postId: Id }) {
  const isPublic = useStore((s) => s.posts[postId]?.audience.type === "public");
  if (!isPublic) return null;
  return (
    <button type="button" className={styles.view} onClick={() => void sharePost(postId, shareLink)}>
      {sayAs("link", "Share Post")}
    </button>
  );
}
