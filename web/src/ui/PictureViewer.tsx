// The picture viewer: one picture at a time, as large as the screen allows, with its description below.
//
// Promises: Escape, the Close button, the browser's Back and a press beside the picture close the viewer, and
// the focus returns to the element that opened it. Screen readers reach only the shown picture. A picture
// that could not be loaded keeps its description and the focus. Nothing plays by itself.

import type { FocusEvent, KeyboardEvent, MouseEvent } from "react";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { ChevronLeft, ChevronRight, Pause, Play, X } from "lucide-react";
import { numberText, say } from "../say";
import { common } from "../text";
import { announce } from "./announce";
import { useBackCloses } from "./backCloses";
import { focusFreed } from "./focus";
import { Hidden } from "./Hidden";
import { Note } from "./Note";
import { useModal } from "./useModal";
import { useMotion } from "./useMotion";
import { MotionImage } from "./MotionImage";
import type { Motion } from "./useMotion";
import { pageOf, useTrack } from "./useTrack";
import type { ViewedPicture } from "./Viewer";
import css from "./PictureViewer.module.css";

export type PictureViewerProps = { pictures: readonly ViewedPicture[]; first: number; onClose: () => void };

export function PictureViewer(props: PictureViewerProps) {
  return createPortal(<OpenViewer {...props} />, document.body);
}

function OpenViewer({ pictures, first, onClose }: PictureViewerProps) {
  const count = pictures.length;
  const { layer, panel, onBlur } = useModal({ onClose });
  const { row, at, go, handlers } = useTrack(count, first);
  const words = useRef<HTMLParagraphElement>(null);
  const shown = pictures[at];
  const motion = useMotion(shown?.motion_url ?? null);
  /** The pictures that could not be loaded. */
  const [lost, setLost] = useState<readonly number[]>([]);
  const inRow = useRef(false);
  useDarkPage();
  useBackCloses(onClose);

  // If the focus is on a picture, it moves with the shown picture. If it is on a button, it stays there. A
  // page becomes inert and loses the focus when it is left, so `inRow` remembers where the focus was.
  useLayoutEffect(() => {
    const picture = row.current?.querySelector<HTMLElement>(`[data-page="${at}"] [tabindex="0"]`);
    if (inRow.current && picture) focusFreed(picture, { preventScroll: true });
  }, [at, row]);

  const onFocus = ({ target }: FocusEvent): void => {
    if (target !== panel.current) inRow.current = row.current?.contains(target) === true;
  };

  const press = (to: number): void => {
    const next = go(to);
    announce(nameOf(pictures[next], next, count));
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    const to = pageOf(event, at, count);
    if (to !== null) {
      event.preventDefault();
      if (inRow.current) go(to);
      else press(to);
    } else if (event.key === "ArrowDown") words.current?.scrollBy({ top: 48 });
    else if (event.key === "ArrowUp") words.current?.scrollBy({ top: -48 });
  };

  return (
    <div ref={layer} className={css.layer}>
      {/* The keys work wherever the focus is in the dialog. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <div
        ref={panel}
        role="dialog"
        aria-modal="true"
        aria-label={say("Picture viewer")}
        tabIndex={-1}
        className={css.panel}
        onFocus={onFocus}
        onBlur={onBlur}
        onKeyDown={onKeyDown}
      >
        <button type="button" className={css.close} onClick={onClose}>
          <X size={22} strokeWidth={1.75} aria-hidden="true" />
          <Hidden>{say(common.close)}</Hidden>
        </button>
        <div ref={row} className={css.row} {...handlers}>
          {pictures.map((picture, n) => (
            <div
              key={picture.url}
              className={css.page}
              data-page={n}
              inert={n !== at}
              aria-hidden={n !== at || undefined}
            >
              <Whole
                picture={picture}
                name={nameOf(picture, n, count)}
                current={n === at}
                near={Math.abs(n - at) <= 1}
                failed={lost.includes(n)}
                motion={n === at ? motion : null}
                onFailed={(failed) =>
                  setLost((now) => [...now.filter((one) => one !== n), ...(failed ? [n] : [])])
                }
                onBeside={onClose}
              />
            </div>
          ))}
        </div>
        <div className={css.below}>
          {shown !== undefined && shown.alt !== "" && (
            // Hidden from screen readers, because it is the name of the picture already, unless the picture
            // failed.
            <p
              ref={words}
              className={css.words}
              dir="auto"
              aria-hidden={!lost.includes(at) || undefined}
              key={at}
            >
              {shown.alt}
            </p>
          )}
          {typeof shown?.motion_url === "string" && (
            <button type="button" className={css.play} onClick={motion.press}>
              {motion.isStill ? (
                <Play size={16} aria-hidden="true" />
              ) : (
                <Pause size={16} aria-hidden="true" />
              )}
              <span>{motion.label}</span>
            </button>
          )}
          <Note text={motion.failed ? say("Couldn't play this. Please try again.") : null} className="" />
        </div>
        {count > 1 && (
          <>
            <button type="button" className={css.previous} onClick={() => press(at - 1)}>
              <ChevronLeft size={26} strokeWidth={1.75} aria-hidden="true" />
              <Hidden>{say("Previous picture")}</Hidden>
            </button>
            <p className={css.count}>{`${numberText(at + 1)} / ${numberText(count)}`}</p>
            <button type="button" className={css.next} onClick={() => press(at + 1)}>
              <ChevronRight size={26} strokeWidth={1.75} aria-hidden="true" />
              <Hidden>{say("Next picture")}</Hidden>
            </button>
          </>
        )}
      </div>
    </div>
  );
}

type WholeProps = {
  picture: ViewedPicture;
  name: string;
  current: boolean;
  near: boolean;
  failed: boolean;
  motion: Motion | null;
  onFailed(failed: boolean): void;
  onBeside(): void;
};

function Whole({ picture, name, current, near, failed, motion, onFailed, onBeside }: WholeProps) {
  const [isRequested, setRequested] = useState(near);
  const whole = useRef<HTMLDivElement>(null);
  const hadFocus = useRef(false);
  const failedId = useId();
  const [loaded, setLoaded] = useState(false);
  if (near && !isRequested) setRequested(true);

  // The placeholder of a failed picture takes over the focus. A picture that loads later takes it back.
  useLayoutEffect(() => {
    if (hadFocus.current)
      whole.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true });
    hadFocus.current = false;
  }, [failed]);
  const become = (isFailed: boolean): void => {
    hadFocus.current = whole.current?.contains(document.activeElement) === true;
    onFailed(isFailed);
  };

  const beside = (event: MouseEvent): void => {
    const { target, clientX, clientY } = event;
    const isPicture = target instanceof HTMLImageElement && isOn(target, clientX, clientY);
    const isControl = target instanceof Element && target.closest("button") !== null;
    if (!isPicture && !isControl) onBeside();
  };

  const preview =
    picture.preview === undefined || loaded ? undefined : `url(${JSON.stringify(picture.preview)})`;
  const size = { maxInlineSize: picture.width, maxBlockSize: picture.height };
  return (
    // A press beside the picture is a shortcut. The Close button and Escape work for everybody.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions, jsx-a11y/click-events-have-key-events
    <div ref={whole} className={css.whole} onClick={beside}>
      {failed ? (
        <div className={css.broken}>
          <div
            role="img"
            aria-label={name}
            aria-describedby={failedId}
            tabIndex={current ? 0 : -1}
            className={css.lost}
          >
            <p id={failedId}>{say("This picture couldn't be loaded.")}</p>
          </div>
          <button type="button" className={css.play} onClick={() => become(false)}>
            {say(common.tryAgain)}
          </button>
        </div>
      ) : (
        <img
          className={css.picture}
          src={isRequested ? picture.url : undefined}
          alt={name}
          width={picture.width}
          height={picture.height}
          style={{ ...size, backgroundImage: preview }}
          decoding="async"
          draggable={false}
          tabIndex={current ? 0 : -1}
          data-autofocus={current || undefined}
          onLoad={() => setLoaded(true)}
          onError={() => become(true)}
        />
      )}
      <MotionImage motion={motion} className={css.picture} style={size} />
    </div>
  );
}

/** Returns the name of a picture: its description, else its number. */
function nameOf(picture: ViewedPicture | undefined, at: number, count: number): string {
  if (picture !== undefined && picture.alt !== "") return picture.alt;
  return count === 1
    ? say("Picture without a description")
    : say("Picture {n} of {count}, without a description", { n: at + 1, count });
}

/** Returns whether a point is on the picture itself. The element may be larger than the picture. */
function isOn(image: HTMLImageElement, x: number, y: number): boolean {
  const box = image.getBoundingClientRect();
  const scale = Math.min(
    box.width / (image.naturalWidth || image.width),
    box.height / (image.naturalHeight || image.height),
  );
  const across = ((image.naturalWidth || image.width) * scale) / 2;
  const along = ((image.naturalHeight || image.height) * scale) / 2;
  return (
    Math.abs(x - (box.left + box.width / 2)) <= across && Math.abs(y - (box.top + box.height / 2)) <= along
  );
}

/** Makes the space of a scroll bar dark too, which the layer does not cover. */
function useDarkPage(): void {
  useEffect(() => {
    document.documentElement.toggleAttribute("data-viewer", true);
    return () => {
      document.documentElement.toggleAttribute("data-viewer", false);
    };
  }, []);
}
