// The button on the photo of the viewer's own profile that chooses a new one, and the error of a file that cannot
// be used.

import { Camera } from "lucide-react";
import { useEffect, useId, useRef } from "react";
import { say } from "../../say";
import { Button } from "../../ui/Button";
import { Hidden } from "../../ui/Hidden";
import { catchFocus } from "../../ui/focus";
import { Note } from "../../ui/Note";
import { controls } from "../shared/controls";
import styles from "./profiles.module.css";

/** The types that the file chooser offers. The check of a file does not depend on this. */
const ACCEPT = "image/*,.heic,.heif,.avif";

export type ChangePhotoProps = {
  busy: boolean;
  error: string | null;
  canRetry: boolean;
  onFile(file: File): void;
  onRetry(): void;
};

export function ChangePhoto({ busy, error, canRetry, onFile, onRetry }: ChangePhotoProps) {
  const id = useId();
  const chooser = useRef<HTMLInputElement>(null);
  const hadFocus = useRef(false);

  // The address names the chooser once, so that Back and a reload show the profile as usual.
  useEffect(() => {
    if (location.hash !== `#${controls.photo}`) return;
    history.replaceState(history.state, "", location.pathname + location.search);
    chooser.current?.focus();
  }, []);

  // The chooser lost the focus when it was disabled, so it gets it back.
  useEffect(() => {
    if (busy || !hadFocus.current) return;
    hadFocus.current = false;
    catchFocus(() => chooser.current);
  }, [busy]);

  return (
    <>
      <label className={styles.change} aria-busy={busy || undefined}>
        <input
          ref={chooser}
          id={controls.photo}
          type="file"
          accept={ACCEPT}
          disabled={busy}
          className={styles.file}
          aria-invalid={error !== null || undefined}
          aria-describedby={error === null ? undefined : id}
          onChange={(event) => {
            const file = event.target.files?.[0];
            hadFocus.current = document.activeElement === event.target;
            // Allows choosing the same file again.
            event.target.value = "";
            if (file !== undefined) onFile(file);
          }}
        />
        <Camera size={20} strokeWidth={1.75} aria-hidden="true" />
        <Hidden>{say("Change Photo")}</Hidden>
      </label>
      {error !== null && (
        <div className={styles.trouble}>
          <Note id={id} text={error} />
          {canRetry && (
            <Button variant="quiet" small onClick={onRetry}>
              {say("Try again")}
            </Button>
          )}
        </div>
      )}
    </>
  );
}
