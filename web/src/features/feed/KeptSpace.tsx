// The kept Your Space, to read while there is no network.

import { useEffect, useRef } from "react";
import type { ReactNode } from "react";
import type { Id } from "../../engine/state";
import { useStore } from "../../engine/store";
import { useOnScreen } from "../../engine/useOnScreen";
import { say } from "../../say";
import { LinkButton } from "../../ui/LinkButton";
import { catchFocus } from "../../ui/focus";
import { now } from "../../ui/now";
import { relativeInside } from "../../ui/relative";
import { feedView } from "../shared/posts/types";
import quiet from "../../ui/Card.module.css";
import styles from "./feed.module.css";

const none: Id[] = [];
/** For how many frames to look for the post that had the focus in the list that replaces this one. */
const FRAMES = 120;

export function KeptSpace({ savedMs, card }: { savedMs: number; card(postId: Id): ReactNode }) {
  const ids = useStore((s) => s.views[feedView(null)]?.ids ?? none);
  useOnScreen(`view:${feedView(null)}`);
  /** It stays set when the post leaves the page with the focus. */
  const focused = useRef<string | undefined>(undefined);
  useEffect(
    () => () => {
      const { current: id } = focused;
      if (id !== undefined)
        catchFocus(() => document.querySelector<HTMLElement>(`[data-item="${id}"]`), FRAMES);
    },
    [],
  );
  return (
    <div className={styles.space}>
      <div className={styles.titleRow}>
        <h1 className={styles.title}>{say("Your Space")}</h1>
        <LinkButton href="/create-post">{say("Create Post")}</LinkButton>
      </div>
      <div className={quiet.quiet}>
        <p>
          {say("Saved {ago}. It will update when you're back online.", {
            ago: relativeInside(savedMs, now()),
          })}
        </p>
        {/* The buttons and boxes of the posts are disabled. */}
        <p>{say("You can vote and comment again then.")}</p>
      </div>
      <ul
        role="list"
        className={styles.list}
        aria-label={say("Posts")}
        onFocus={({ target }) => {
          focused.current = target.closest<HTMLElement>("[data-item]")?.dataset["item"];
        }}
        onBlur={() => {
          focused.current = undefined;
        }}
      >
        {ids.map((id) => (
          <li key={id} className={styles.item} data-item={id} tabIndex={-1}>
            {card(id)}
          </li>
        ))}
      </ul>
    </div>
  );
}
