// The posts that the viewer saved, the latest saved first.

import { PostList } from "../../features/feed/PostList";
import { useSaved } from "../../features/saved/useSaved";
import { SAVED_VIEW } from "../../features/shared/posts/types";
import { say } from "../../say";
import { EmptyState } from "../../ui/EmptyState";
import { feedCard } from "../cards";
import styles from "./screens.module.css";

export default function SavedScreen() {
  const { onFocus, onBlur } = useSaved();
  return (
    <div className={styles.column} onFocus={onFocus} onBlur={onBlur}>
      <h1>{say("Saved")}</h1>
      <PostList
        name={SAVED_VIEW}
        card={feedCard}
        hasEnd={false}
        empty={() => (
          <EmptyState title={say("Nothing saved yet.")}>
            {say("Save Post in the menu of a post puts it here, for you alone.")}
          </EmptyState>
        )}
      />
    </div>
  );
}
