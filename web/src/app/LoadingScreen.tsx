import { common } from "../text";
import css from "./LoadingScreen.module.css";

/** Shown while something loads: nothing at first, then a word. */
export function LoadingScreen() {
  return <p className={css.quiet}>{common.loading}</p>;
}
