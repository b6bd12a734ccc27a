// How many positive vibes a post has, for its author on their own profile.

import type { Id } from "../../engine/state";
import { useStore } from "../../engine/store";
import { many } from "../../say";
import styles from "./votes.module.css";

export function PositiveCount({ postId }: { postId: Id }) {
  const count = useStore((s) => s.posts[postId]?.positive_count ?? null);
  return count === null ? null : (
    <span className={styles.count}>{many(count, "{n} positive vibe", "{n} positive vibes")}</span>
  );
}
