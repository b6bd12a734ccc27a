// Up to four pictures in a row, each in its own shape. Touch, buttons and arrow keys change the current picture.
//
// Promises: a press opens the whole picture. A placeholder of its own colours is shown until it is loaded. A picture
// that could not be loaded shows its description, and is loaded again after a reconnect. Never: a picture plays by
// itself, or changes its size.

import type { KeyboardEvent } from "react";
import { useEffect, useState } from "react";
import { ChevronLeft, ChevronRight, Pause, Play } from "lucide-react";
import { Hidden } from "../../ui/Hidden";
import { announce } from "../../ui/announce";
import { useMotion } from "../../ui/useMotion";
import { pageOf, useTrack } from "../../ui/useTrack";
import { Viewer } from "../../ui/Viewer";
import { Note } from "../../ui/Note";
import type { Picture } from "../../engine/types.gen";
import { numberText, say } from "../../say";
import { Slide } from "./Slide";
import styles from "./carousel.module.css";

/** The heights of pictures.module.css. */
const ALONE_PX = [320, 360] as const;
const STRIP_PX = [222, 336] as const;

export function Carousel({ pictures }: { pictures: readonly Picture[] }) {
  const count = pictures.length;
  const { row, at, go, handlers } = useTrack(count);
  const [opened, setOpened] = useState<number | null>(null);
  const [failed, setFailed] = useState(false);
  /** The carousel is in use. The neighbours are loaded then, so that the next picture is shown at once. */
  const [busy, setBusy] = useState(false);
  const high = count === 1 ? ALONE_PX : STRIP_PX;
  const shown = pictures[at];
  const animated = shown?.motion_url ?? null;
  const motion = useMotion(animated);

  useEffect(() => setFailed(false), [at]);

  const press = (to: number): void => {
    const next = go(to);
    const alt = pictures[next]?.alt ?? "";
    const place = { n: next + 1, count };
    announce(
      alt === ""
        ? say("Picture {n} of {count}", place)
        : say("Picture {n} of {count}: {alt}", { ...place, alt }),
    );
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    const to = pageOf(event, at, count);
    // Key events of the viewer bubble through here, but the viewer handles them.
    if (to === null || event.defaultPrevented || opened !== null) return;
    event.preventDefault();
    if (row.current?.contains(document.activeElement) !== true) return press(to);
    row.current.querySelector<HTMLElement>(`[data-page="${go(to)}"]`)?.focus({ preventScroll: true });
  };

  return (
    // The keys work wherever the focus is in the group.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div
      className={styles.carousel}
      onKeyDown={onKeyDown}
      onPointerEnter={() => setBusy(true)}
      onFocus={() => setBusy(true)}
    >
      <div ref={row} className={styles.row} data-sideways {...handlers}>
        {pictures.map((picture, n) => (
          <Slide
            key={picture.url}
            picture={picture}
            count={count}
            page={n}
            current={n === at}
            near={busy && Math.abs(n - at) <= 1}
            high={high}
            motion={n === at ? motion : null}
            onOpen={() => {
              setFailed(false);
              setOpened(n);
            }}
          >
            {picture.alt !== "" && (
              <span className={styles.alt} aria-hidden="true">
                {say("ALT")}
              </span>
            )}
            {n === at && (
              <div className={styles.corner}>
                <Note
                  text={
                    failed
                      ? say("Couldn't open this. Please try again.")
                      : motion.failed
                        ? say("Couldn't play this. Please try again.")
                        : null
                  }
                  className={styles.note}
                />
                {animated !== null && (
                  <button type="button" className={styles.play} onClick={motion.press}>
                    {motion.isStill ? (
                      <Play size={14} aria-hidden="true" />
                    ) : (
                      <Pause size={14} aria-hidden="true" />
                    )}
                    <span>{motion.label}</span>
                  </button>
                )}
              </div>
            )}
          </Slide>
        ))}
      </div>
      {count > 1 && (
        <>
          <button type="button" className={styles.previous} onClick={() => press(at - 1)}>
            <ChevronLeft size={22} strokeWidth={1.75} aria-hidden="true" />
            <Hidden>{say("Previous picture")}</Hidden>
          </button>
          <button type="button" className={styles.next} onClick={() => press(at + 1)}>
            <ChevronRight size={22} strokeWidth={1.75} aria-hidden="true" />
            <Hidden>{say("Next picture")}</Hidden>
          </button>
          <p className={styles.count} dir="ltr">{`${numberText(at + 1)} / ${numberText(count)}`}</p>
        </>
      )}
      <Viewer
        pictures={pictures.map((picture) => ({ ...picture, preview: picture.card_url }))}
        first={opened}
        onClose={() => setOpened(null)}
        onFailed={() => setFailed(true)}
      />
    </div>
  );
}
