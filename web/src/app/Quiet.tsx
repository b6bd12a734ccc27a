import { common } from "../text";
import css from "./Quiet.module.css";

/** While something is on its way: nothing at first, then a word. */
export function Quiet() {
  return <p className={css.quiet}>{common.loading}</p>;
}
