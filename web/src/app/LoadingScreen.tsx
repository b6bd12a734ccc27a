import { useState } from "react";
import { Loading } from "../features/shared/Loading";
import { say } from "../say";
import { common } from "../text";
import css from "./LoadingScreen.module.css";

/** Whether no screen was shown since the page was opened. */
let isOpening = true;
export const screenShown = (): void => {
  isOpening = false;
};

/**
 * Shown in the place of a screen that loads. After the page was opened it shows the still blocks of the page itself, so
 * that they stay. Later it shows nothing at first, because most screens are here at once.
 */
export function LoadingScreen() {
  const [isFirst] = useState(isOpening);
  return (
    <div className={isFirst ? undefined : css.later}>
      <div className="still-top" />
      <Loading still>{say(common.loading)}</Loading>
    </div>
  );
}

/** Shown in the place of a part of a screen that loads: nothing at first, then a word. */
export function LoadingLine() {
  return <p className={css.quiet}>{say(common.loading)}</p>;
}
