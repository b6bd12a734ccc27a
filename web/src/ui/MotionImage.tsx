// The animation over a still picture. It renders nothing before Play is pressed.

import type { CSSProperties } from "react";
import type { Motion } from "./useMotion";

type MotionImageProps = {
  motion: Motion | null;
  className: string | undefined;
  style?: CSSProperties | undefined;
};

export function MotionImage({ motion, className, style }: MotionImageProps) {
  if (motion === null || motion.src === null) return null;
  return (
    <img
      className={className}
      src={motion.src}
      alt=""
      style={style}
      draggable={false}
      data-playing={motion.playing || undefined}
      onLoad={motion.onLoad}
      onError={motion.onError}
    />
  );
}
