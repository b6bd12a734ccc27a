// The kept Your Space, to read while there is no network.

import type { ReactNode } from "react";
import type { Id } from "../../engine/state";
import { useStore } from "../../engine/store";
import { useOnScreen } from "../../engine/useOnScreen";
import { say } from "../../say";
import { LinkButton } from "../../ui/LinkButton";
import { now } from "../../ui/now";
import { relativeInside } from "../../ui/relative";
import { feedView } from "../shared/posts/types";
import quiet from "../../ui/Card.module.css";
import styles from "./feed.module.css";

const none: Id[] = [];

export function KeptSpace({ savedMs, card }: { savedMs: number; card(postId: Id): ReactNode }) {
  const ids = useStore((s) => s.views[feedView(null)]?.ids ?? none);
  useOnScreen(`view:${feedView(null)}`);
  return (
    <div className={styles.space}>
      <div className={styles.titleRow}>
        <h1 className={styles.title}>{say("Your Space")}</h1>
        <LinkButton href="/create-post">{say("Create Post")}</LinkButton>
      </div>
      <p className={quiet.quiet}>
        {say("Saved {ago}. It will update when you're back online.", {
          ago: relativeInside(savedMs, now()),
        })}
      </p>
      <ul role="list" className={styles.list} aria-label={say("Posts")}>
        {ids.map((id) => (
          <li key={id} className={styles.item}>
            {card(id)}
          </li>
        ))}
      </ul>
    </div>
  );
}
