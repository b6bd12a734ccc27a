// The chosen pictures of a post, in order, each with its description, its position and its upload state.
//
// Never: a picture plays by itself.

import type { ReactNode, RefObject } from "react";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { ArrowDown, ArrowUp, Check, RotateCw, X } from "lucide-react";
import { say } from "../../say";
import { Button } from "../../ui/Button";
import { CharCounter } from "../../ui/CharCounter";
import { Hidden } from "../../ui/Hidden";
import { TextArea } from "../../ui/TextArea";
import { announce } from "../../ui/announce";
import { catchFocus } from "../../ui/focus";
import { Note } from "../../ui/Note";
import { ALT_CHARS_MAX } from "../shared/postDraft";
import { countOf, tidyLine } from "../shared/text";
import type { Picture, Pictures } from "./chosen";
import { mayBeAnimated } from "./pick";
import styles from "./uploads.module.css";

/** The character counter is shown from this length on. */
const COUNTED_FROM = 240;
/** The largest drawn first frame of a picture that may be animated, in pixels. */
const STILL_SHORT = 352;
const STILL_LONG = 2_048;
export type ChosenPicturesProps = {
  list: Pictures;
  pictures: readonly Picture[];
  /** The pictures are being sent. Only a failed picture can be removed. */
  isSending: boolean;
  /** The post is being created. Nothing can be removed. */
  isSaving: boolean;
  onRetry(upload: string): void;
};

export function ChosenPictures({ list, pictures, isSending, isSaving, onRetry }: ChosenPicturesProps) {
  const box = useRef<HTMLUListElement>(null);
  const refocus = useRefocus(box);
  if (pictures.length === 0) return null;

  const move = (picture: Picture, at: number, by: -1 | 1): void => {
    list.move(picture.upload, by);
    refocus(picture.upload, by === -1 ? "earlier" : "later");
    announce(
      say("Picture moved to place {place} of {count}", { place: at + by + 1, count: pictures.length }),
    );
  };
  const remove = (picture: Picture, at: number): void => {
    list.remove(picture.upload);
    const near = pictures[at + 1] ?? pictures[at - 1];
    if (near === undefined) catchFocus(() => document.querySelector<HTMLElement>("input[type=file]"));
    else refocus(near.upload, "remove");
    announce(say("Picture removed"));
  };

  return (
    <ul role="list" aria-label={say("Chosen pictures")} className={styles.list} ref={box}>
      {pictures.map((picture, at) => (
        <Item
          key={picture.upload}
          picture={picture}
          n={at + 1}
          isLocked={isSending || isSaving}
          isSaving={isSaving}
          onBroken={() => list.reject(picture.upload)}
          onDescribe={(alt) => list.describe(picture.upload, alt)}
          onRetry={() => onRetry(picture.upload)}
        >
          {pictures.length > 1 && (
            <>
              <Act
                does="earlier"
                label={say("Move picture {number} earlier", { number: at + 1 })}
                disabled={at === 0 || isSending || isSaving}
                onPress={() => move(picture, at, -1)}
              >
                <ArrowUp {...icon} />
              </Act>
              <Act
                does="later"
                label={say("Move picture {number} later", { number: at + 1 })}
                disabled={at === pictures.length - 1 || isSending || isSaving}
                onPress={() => move(picture, at, 1)}
              >
                <ArrowDown {...icon} />
              </Act>
            </>
          )}
          <Act
            does="remove"
            label={say("Remove picture {number}", { number: at + 1 })}
            disabled={isSaving}
            onPress={() => remove(picture, at)}
          >
            <X {...icon} />
          </Act>
        </Item>
      ))}
    </ul>
  );
}

const icon = { size: 18, strokeWidth: 1.75, "aria-hidden": true } as const;

type ItemProps = {
  picture: Picture;
  n: number;
  isLocked: boolean;
  isSaving: boolean;
  children: ReactNode;
  onBroken(): void;
  onDescribe(alt: string): void;
  onRetry(): void;
};

function Item({ picture, n, isLocked, isSaving, children, onBroken, onDescribe, onRetry }: ItemProps) {
  const id = useId();
  const count = countOf(tidyLine(picture.alt));
  const failed = picture.state === "failed";
  return (
    <li className={styles.item} data-state={picture.state} data-upload={picture.upload}>
      <div className={styles.preview}>
        <Preview blob={picture.blob} onBroken={onBroken} />
        {picture.state === "sent" && (
          <span className={styles.sent}>
            <Check size={16} strokeWidth={2.5} aria-hidden="true" />
          </span>
        )}
      </div>
      <div className={styles.words}>
        <div className={styles.top}>
          <label htmlFor={id}>{say("Description of picture {number}", { number: n })}</label>
          {count >= COUNTED_FROM && <CharCounter count={count} max={ALT_CHARS_MAX} />}
        </div>
        <TextArea
          id={id}
          rows={2}
          placeholder={say("What's in it?")}
          value={picture.alt}
          readOnly={isLocked}
          aria-invalid={count > ALT_CHARS_MAX || undefined}
          onChange={(event) => onDescribe(event.target.value)}
        />
      </div>
      <div className={styles.acts}>{children}</div>
      {failed && (
        <div className={styles.failure}>
          <Note text={picture.message} className="" />
          <Button variant="quiet" small disabled={isSaving} onClick={onRetry} data-act="again" data-mends>
            <RotateCw size={16} strokeWidth={1.75} aria-hidden="true" />
            <span>{say("Try picture {number} again", { number: n })}</span>
          </Button>
        </div>
      )}
    </li>
  );
}

type ActProps = { does: string; label: string; disabled: boolean; children: ReactNode; onPress(): void };

function Act({ does, label, disabled, children, onPress }: ActProps) {
  return (
    <button type="button" className={styles.act} disabled={disabled} data-act={does} onClick={onPress}>
      {children}
      <Hidden>{label}</Hidden>
    </button>
  );
}

/** The picture, or the first frame if it may be animated. Calls `onBroken` if the browser cannot show it. */
function Preview({ blob, onBroken }: { blob: Blob; onBroken(): void }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [isStill, setStill] = useState(
    () => mayBeAnimated(blob.type) && typeof createImageBitmap === "function",
  );
  const url = usePreview(isStill ? null : blob);
  useEffect(() => {
    if (!isStill) return;
    let isGone = false;
    createImageBitmap(blob).then(
      (frame) => {
        if (!isGone) setStill(draw(frame, canvas.current));
        frame.close();
      },
      () => {
        if (!isGone) setStill(false);
      },
    );
    return () => {
      isGone = true;
    };
  }, [blob, isStill]);
  if (isStill) return <canvas ref={canvas} aria-hidden="true" />;
  return url === null ? null : <img src={url} alt="" decoding="async" onError={onBroken} />;
}

/** Draws a frame as large as the preview needs it. Returns false if there is no canvas. */
function draw(frame: ImageBitmap, canvas: HTMLCanvasElement | null): boolean {
  const pen = canvas?.getContext("2d") ?? null;
  if (canvas === null || pen === null) return false;
  const { width, height } = frame;
  const scale = Math.min(1, STILL_SHORT / Math.min(width, height), STILL_LONG / Math.max(width, height));
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  pen.drawImage(frame, 0, 0, canvas.width, canvas.height);
  return true;
}

/** Returns an object URL for the picture while it is shown. */
function usePreview(blob: Blob | null): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (blob === null) return;
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return url;
}

/**
 * Restores the focus after the list changed: on the same control of the picture, or on the nearest enabled
 * one.
 */
function useRefocus(box: RefObject<HTMLUListElement | null>): (upload: string, act: string) => void {
  const wish = useRef<{ upload: string; act: string } | null>(null);
  useLayoutEffect(() => {
    if (wish.current === null) return;
    const { upload, act } = wish.current;
    wish.current = null;
    const item = box.current?.querySelector(`[data-upload="${upload}"]`);
    const control =
      item?.querySelector<HTMLElement>(`[data-act="${act}"]:not(:disabled)`) ??
      item?.querySelector<HTMLElement>("[data-act]:not(:disabled)");
    control?.focus();
  });
  return (upload, act) => {
    wish.current = { upload, act };
  };
}
