// The pictures of a post. This much of it comes with the card: the box they will stand in, as high as
// it will ever be. What fills it is fetched when the first post with pictures is on the page.
//
// Promise: nothing below the pictures ever moves, whatever arrives, in whatever order, or does not.

import type { CSSProperties } from "react";
import { useEffect } from "react";
import { Button } from "../../ui/Button";
import { later, useLater } from "../../ui/later";
import type { Id } from "../../store/state";
import { useStore } from "../../store/store";
import type { Picture } from "../../wire/types.gen";
import { boxOf } from "./box";
import styles from "./pictures.module.css";

const carousel = later(() => import("./Carousel"));
const NONE: Picture[] = [];

export function Pictures({ postId }: { postId: Id }) {
  const pictures = useStore((s) => s.posts[postId]?.pictures ?? NONE);
  const live = useStore((s) => s.connection.state === "live");
  const { part, failed, again } = useLater(carousel, pictures.length > 0);

  useEffect(() => {
    if (live) again();
  }, [live]);

  if (pictures.length === 0) return null;
  const { ratio, tallest } = boxOf(pictures);
  const size = { aspectRatio: ratio, "--tallest": `${tallest}px` } as CSSProperties;
  return (
    <div role="group" aria-label="Pictures" className={styles.box} style={size}>
      {part !== null && <part.Carousel pictures={pictures} />}
      {part === null && failed && (
        <div className={styles.missing}>
          <p>Couldn't load the pictures.</p>
          <Button variant="quiet" small onClick={again}>
            Try again
          </Button>
        </div>
      )}
    </div>
  );
}
