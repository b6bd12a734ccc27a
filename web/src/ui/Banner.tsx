import type { CSSProperties } from "react";
import css from "./Banner.module.css";

export type BannerColor = "red" | "blue" | "green" | "yellow" | "purple";

/** The coloured band above a profile. It never has text on it. */
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
