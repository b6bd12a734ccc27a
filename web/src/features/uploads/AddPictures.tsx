// The file chooser for pictures. It also receives files that are dropped on the page or pasted into it.

import { useEffect, useId, useRef } from "react";
import { ImagePlus } from "lucide-react";
import { say } from "../../say";
import { cx } from "../../ui/cx";
import { Note } from "../../ui/Note";
import { ACCEPT } from "./pick";
import styles from "./uploads.module.css";

export type AddPicturesProps = {
  /** Sentences about files that were not accepted. */
  refusals: readonly string[];
  disabled: boolean;
  onFiles(files: File[]): void;
};

export function AddPictures({ refusals, disabled, onFiles }: AddPicturesProps) {
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
          // Allows choosing the same file again.
          event.target.value = "";
          onFiles(files);
        }}
      />
      <label ref={label} htmlFor={id} className={styles.place}>
        <ImagePlus size={22} strokeWidth={1.75} aria-hidden="true" />
        <span>{say("Add pictures")}</span>
      </label>
      {refusals.map((words, at) => (
        <Note key={words} id={wrong[at]} text={words} />
      ))}
      <p id={`${id}-hint`} className={styles.hint}>
        <span>{say("Up to four, 10 MB each.")}</span>
        <span className={styles.byHand}>{` ${say("Or drop them here, or paste.")}`}</span>
      </p>
    </div>
  );
}

/** While mounted, a file that is dropped anywhere does not replace the page. */
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

/** Receives files that are dropped anywhere on the page or pasted. */
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
      // Text that is copied from a document may come with a picture of it, so only the text is pasted.
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
