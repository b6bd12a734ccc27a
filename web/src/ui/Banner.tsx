import type { CSSProperties } from "react";
import css from "./Banner.module.css";

export type BannerColor = "red" | "blue" | "green" | "yellow" | "purple";

/** The band of colour above a profile. No text is ever on it. */
export function Banner({ from, to }: { from: BannerColor; to: BannerColor }) {
  return (
    <div
      className={css.banner}
      role="img"
      aria-label={`Banner from ${from} to ${to}`}
      style={{ "--from": `var(--banner-${from})`, "--to": `var(--banner-${to}-soft)` } as CSSProperties}
    />
  );
}
