// One picture of a carousel, and the button that opens it in the viewer.

import type { CSSProperties, ReactNode } from "react";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { ImageOff } from "lucide-react";
import { MotionImage } from "../../ui/MotionImage";
import type { Motion } from "../../ui/useMotion";
import { useStore } from "../../engine/store";
import type { Picture } from "../../engine/types.gen";
import { say } from "../../say";
import { shapeOf, sizeOf, widthWithin } from "./box";
import { blurOf } from "./hash";
import styles from "./carousel.module.css";

/** The longer sides of the two files of each picture, in pixels. */
const CARD_PX = 800;
const SCREEN_PX = 1_600;
export type SlideProps = {
  picture: Picture;
  page: number;
  /** How many pictures there are. */
  count: number;
  current: boolean;
  near: boolean;
  /** The height of the place in pixels, on a phone and on a wider screen. */
  high: readonly [phone: number, wide: number];
  motion: Motion | null;
  onOpen(): void;
  /** What stands on the picture. */
  children: ReactNode;
};

export function Slide({ picture, page, count, current, near, high, motion, onOpen, children }: SlideProps) {
  const [state, setState] = useState<"waiting" | "here" | "failed">("waiting");
  const live = useStore((s) => s.connection.state === "live");
  const image = useRef<HTMLImageElement>(null);
  // The blur is drawn when the picture is shown first, because drawing takes time and most later pictures
  // never are.
  const [seen, setSeen] = useState(current);
  if ((current || near) && !seen) setSeen(true);
  const blur = seen ? blurOf(picture.thumbhash) : undefined;
  const failedId = useId();

  // A picture in the browser's cache is shown from the first paint on.
  useLayoutEffect(() => {
    if (image.current?.complete === true && image.current.naturalWidth > 0) setState("here");
  }, []);

  useEffect(() => {
    if (live) setState((now) => (now === "failed" ? "waiting" : now));
  }, [live]);

  const { alt, width, height } = picture;
  const place = { n: page + 1, count };
  const [card, screen] = [widthWithin(picture, CARD_PX), widthWithin(picture, SCREEN_PX)];
  const [phonePx, widePx] = high.map((one) => Math.round(one * shapeOf(picture)));
  const style = { ...sizeOf([picture]), "--blur": state === "failed" ? undefined : blur } as CSSProperties;
  return (
    <div className={styles.slide} style={style} data-moves={picture.motion_url === null ? undefined : ""}>
      <button
        type="button"
        className={styles.open}
        aria-label={
          alt === ""
            ? say("Open picture {n} of {count}", place)
            : say("Open picture {n} of {count}: {alt}", { ...place, alt })
        }
        aria-describedby={state === "failed" ? failedId : undefined}
        // Tab reaches only the current picture. The arrow keys reach the others.
        tabIndex={current ? 0 : -1}
        data-page={page}
        data-picture={state}
        onClick={onOpen}
      >
        {state === "failed" ? (
          <span className={styles.broken}>
            <ImageOff size={24} strokeWidth={1.75} aria-hidden="true" />
            <span id={failedId}>{say("This picture couldn't be loaded.")}</span>
            {alt !== "" && (
              <span className={styles.words} dir="auto">
                {alt}
              </span>
            )}
          </span>
        ) : (
          <img
            ref={image}
            className={styles.picture}
            src={picture.card_url}
            srcSet={card === screen ? undefined : `${picture.card_url} ${card}w, ${picture.url} ${screen}w`}
            sizes={`(min-width: 720px) min(548px, ${widePx}px), min(100vw - 32px, ${phonePx}px)`}
            alt={alt === "" ? say("Picture {n} of {count}", place) : alt}
            width={width}
            height={height}
            loading={near ? "eager" : "lazy"}
            decoding="async"
            draggable={false}
            onLoad={() => setState("here")}
            onError={() => setState("failed")}
          />
        )}
        <MotionImage motion={motion} className={styles.motion} />
      </button>
      {children}
    </div>
  );
}
