// A user's photo, or their initials if there is none or until it is loaded. The initials are drawn on this
// device, so that no other server learns whose names are shown.
//
// Promise: the size is the same with and without a photo, and while it loads.

import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import { initials, swatch } from "./initials";
import css from "./Avatar.module.css";

export type AvatarProps = {
  id: number;
  name: string;
  /** The address of the small photo. Without one the initials are shown. */
  photo?: string | null | undefined;
  /** In pixels. */
  size?: number;
  /** Whether screen readers read the name here. Off beside a visible name, which they read already. */
  label?: boolean;
  /** The `alt` of the photo; empty beside a visible name. */
  alt?: string;
};

export function Avatar({ id, name, photo = null, size = 40, label = false, alt = "" }: AvatarProps) {
  /** The last photo that was loaded. It stays until the next one is loaded. */
  const [here, setHere] = useState<string | null>(null);
  const shown = photo === null ? [] : [...new Set([here, photo])].filter((url) => url !== null);
  return (
    <span className={css.face} style={{ inlineSize: size, blockSize: size }}>
      <svg
        className={css.avatar}
        width={size}
        height={size}
        viewBox="0 0 40 40"
        role={label ? "img" : undefined}
        aria-label={label ? name : undefined}
        aria-hidden={label ? undefined : true}
        focusable="false"
        data-swatch={swatch(id)}
      >
        <rect width="40" height="40" />
        <text x="20" y="20.5" textAnchor="middle" dominantBaseline="central">
          {initials(name)}
        </text>
      </svg>
      {shown.map((url) => (
        <Photo key={url} url={url} size={size} alt={url === photo ? alt : ""} onHere={() => setHere(url)} />
      ))}
    </span>
  );
}

type PhotoProps = { url: string; size: number; alt: string; onHere(): void };

function Photo({ url, size, alt, onHere }: PhotoProps) {
  const [state, setState] = useState<"waiting" | "here" | "failed">("waiting");
  const image = useRef<HTMLImageElement>(null);

  const came = (): void => {
    setState("here");
    onHere();
  };

  // A photo in the browser's cache is shown from the first paint on.
  const cameNow = useEffectEvent(came);
  useLayoutEffect(() => {
    if (image.current?.complete === true && image.current.naturalWidth > 0) cameNow();
  }, []);

  useEffect(() => {
    if (state !== "failed") return;
    const again = (): void => setState("waiting");
    addEventListener("online", again);
    return () => removeEventListener("online", again);
  }, [state]);

  if (state === "failed") return null;
  return (
    <img
      ref={image}
      className={css.photo}
      // `loading` is before `src`, because some browsers would fetch at once otherwise.
      loading="lazy"
      src={url}
      alt={alt}
      width={size}
      height={size}
      decoding="async"
      draggable={false}
      data-here={state === "here" || undefined}
      onLoad={came}
      onError={() => setState("failed")}
    />
  );
}
