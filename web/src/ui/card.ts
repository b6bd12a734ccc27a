import css from "./Card.module.css";

/** What stands on a page of its own paper: a poll, how everybody is, the theme. */
export const card = css.card;

/** A word beside it, lighter. */
export const quiet = css.quiet;

/** Why something did not work, beside what it is about. */
export const refusal = css.refusal;
