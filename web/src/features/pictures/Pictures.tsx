// The pictures of a post. This file is loaded with the card and renders a box of the final height, while the
// carousel in the box is loaded when the first post with pictures is on the page.
//
// Promise: nothing below the pictures moves, whenever they are loaded.

import { useEffect } from "react";
import { Button } from "../../ui/Button";
import { cx } from "../../ui/cx";
import { lazyPart, useLazyPart } from "../../ui/lazyPart";
import type { Id } from "../../engine/state";
import { useStore } from "../../engine/store";
import { say } from "../../say";
import type { Picture } from "../../engine/types.gen";
import { sizeOf } from "./box";
import styles from "./pictures.module.css";

const carousel = lazyPart(() => import("./Carousel"));
const NONE: Picture[] = [];

export function Pictures({ postId }: { postId: Id }) {
  const pictures = useStore((s) => s.posts[postId]?.pictures ?? NONE);
  const live = useStore((s) => s.connection.state === "live");
  const { part, failed, again } = useLazyPart(carousel, pictures.length > 0);

  useEffect(() => {
    if (live) again();
  }, [live, again]);

  if (pictures.length === 0) return null;
  return (
    <div
      role="group"
      aria-label={say("Pictures")}
      className={cx(styles.box, pictures.length === 1 ? styles.alone : styles.strip)}
      style={sizeOf(pictures)}
    >
      {part !== null && <part.Carousel pictures={pictures} />}
      {part === null && failed && (
        <div className={styles.missing}>
          <p>{say("Couldn't load the pictures.")}</p>
          <Button variant="quiet" small onClick={again}>
            {say("Try again")}
          </Button>
        </div>
      )}
    </div>
  );
}
