// The photo of a profile, or the initials. A press shows the whole photo.

import type { CSSProperties } from "react";
import { useEffect, useState } from "react";
import { say } from "../../say";
import { Avatar } from "../../ui/Avatar";
import { Viewer } from "../../ui/Viewer";
import { Note } from "../../ui/Note";
import type { ProfileEntry } from "../shared/people/profiles";
import styles from "./profiles.module.css";

/** The width on screen, in pixels. */
const SIZE = 96;

/** A new photo that is being uploaded. */
export type ComingPhoto = {
  /** An object URL of the file, to show meanwhile. */
  preview: string | null;
  /** How much is uploaded, from 0 to 100; null when only the browser must still load the photo. */
  percent: number | null;
};

export function ProfilePhoto({ profile, coming }: { profile: ProfileEntry; coming: ComingPhoto | null }) {
  const [opened, setOpened] = useState<number | null>(null);
  const [failed, setFailed] = useState(false);
  const { id, name, photo, photo_url } = profile;
  const percent = coming?.percent ?? null;
  useEffect(() => setFailed(false), [photo?.url]);
  return (
    <div
      className={styles.photo}
      style={{ "--percent": `${String(percent ?? 0)}%` } as CSSProperties}
      data-coming={percent !== null || undefined}
    >
      <button
        type="button"
        className={styles.enlarge}
        aria-label={say("Enlarge photo")}
        disabled={photo === null}
        onClick={() => {
          setFailed(false);
          setOpened(0);
        }}
      >
        {/* The name of the button must contain the text of what is in it. */}
        <Avatar id={id} name={name} photo={photo_url} size={SIZE} alt={say("Photo")} />
        {coming !== null && coming.preview !== null && (
          <img
            className={styles.preview}
            src={coming.preview}
            alt=""
            width={SIZE}
            height={SIZE}
            draggable={false}
          />
        )}
      </button>
      {percent !== null && (
        <div
          role="progressbar"
          aria-label={say("Changing photo")}
          aria-valuenow={percent}
          className={styles.progress}
        />
      )}
      <Note text={failed ? say("Couldn't open this. Please try again.") : null} />
      {photo !== null && (
        <Viewer
          pictures={[{ ...photo, preview: photo_url ?? photo.url, alt: say("Photo of {name}", { name }) }]}
          first={opened}
          onClose={() => setOpened(null)}
          onFailed={() => setFailed(true)}
        />
      )}
    </div>
  );
}
