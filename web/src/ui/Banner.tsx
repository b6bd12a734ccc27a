import type { CSSProperties } from "react";
import { say, sayAs } from "../say";
import css from "./Banner.module.css";

const NAMES = { red: "red", blue: "blue", green: "green", yellow: "yellow", purple: "purple" } as const;
export type BannerColor = keyof typeof NAMES;

/** The coloured band above a profile. It never has text on it. */
export function Banner({ from, to }: { from: BannerColor; to: BannerColor }) {
  return (
    <div
      className={css.banner}
      role="img"
      aria-label={say("Banner from {from} to {to}", {
        from: sayAs("banner", NAMES[from]),
        to: sayAs("banner", NAMES[to]),
      })}
      style={{ "--from": `var(--banner-${from})`, "--to": `var(--banner-${to}-soft)` } as CSSProperties}
    />
  );
}
