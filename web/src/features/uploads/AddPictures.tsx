// The file chooser for pictures. Files that are dropped on the page or pasted into it arrive here too.

import { useEffect, useId, useRef } from "react";
import { ImagePlus } from "lucide-react";
import { cx } from "../../ui/cx";
import { ACCEPT } from "./pick";
import styles from "./uploads.module.css";
import { refusal } from "../../ui/card";

export type AddPicturesProps = {
  /** What was not taken, and why. */
  refusals: readonly string[];
  disabled: boolean;
  /** Nothing is chosen yet, so there is space for an explanation. */
  isFirst: boolean;
  onFiles(files: File[]): void;
};

export function AddPictures({ refusals, disabled, isFirst, onFiles }: AddPicturesProps) {
  const id = useId();
  const label = useRef<HTMLLabelElement>(null);
  useDropAndPaste(label, disabled, onFiles);
  const wrong = refusals.map((_, at) => `${id}-no-${String(at)}`);

  return (
    <div className={styles.add}>
      <input
        id={id}
        type="file"
        multiple
        accept={ACCEPT}
        disabled={disabled}
        className={cx("visually-hidden", styles.file)}
        aria-invalid={refusals.length > 0 || undefined}
        aria-describedby={[...wrong, `${id}-hint`].join(" ")}
        onChange={(event) => {
          const files = [...(event.target.files ?? [])];
          // The same file may be chosen again.
          event.target.value = "";
          onFiles(files);
        }}
      />
      <label ref={label} htmlFor={id} className={styles.place} data-small={!isFirst || undefined}>
        <ImagePlus size={22} strokeWidth={1.75} aria-hidden="true" />
        Add pictures
      </label>
      {refusals.map((words, at) => (
        <p key={words} id={wrong[at]} role="alert" className={refusal}>
          {words}
        </p>
      ))}
      <p id={`${id}-hint`} className={styles.hint}>
        Up to four, 10 MB each.<span className={styles.byHand}> Or drop them here, or paste.</span>
      </p>
    </div>
  );
}

/** While this stands, a file that is dropped beside everything does not take the page's place. */
export function useKeepPage(): void {
  useEffect(() => {
    const keep = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes("Files") === true) event.preventDefault();
    };
    addEventListener("dragover", keep);
    addEventListener("drop", keep);
    return () => {
      removeEventListener("dragover", keep);
      removeEventListener("drop", keep);
    };
  }, []);
}

/** Files may land anywhere on the page; beside the form they would otherwise take the page's place. */
function useDropAndPaste(
  label: { current: HTMLElement | null },
  disabled: boolean,
  onFiles: (files: File[]) => void,
): void {
  const take = useRef(onFiles);
  useEffect(() => {
    take.current = disabled ? () => undefined : onFiles;
  });
  useEffect(() => {
    const over = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes("Files") !== true) return;
      event.preventDefault();
      label.current?.toggleAttribute("data-over", true);
    };
    const out = (event: DragEvent): void => {
      if (event.relatedTarget === null) label.current?.toggleAttribute("data-over", false);
    };
    const drop = (event: DragEvent): void => {
      label.current?.toggleAttribute("data-over", false);
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      take.current(files);
    };
    const paste = (event: ClipboardEvent): void => {
      const files = [...(event.clipboardData?.files ?? [])];
      // Words copied from a document bring a picture of themselves along; the words are meant.
      if (files.length === 0 || event.clipboardData?.types.includes("text/plain") === true) return;
      event.preventDefault();
      take.current(files);
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", out);
    addEventListener("drop", drop);
    addEventListener("paste", paste);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", out);
      removeEventListener("drop", drop);
      removeEventListener("paste", paste);
    };
  }, [label]);
}
