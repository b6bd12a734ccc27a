import css from "./Card.module.css";

/** The class of a card: a poll, the moods, the theme. */
export const card = css.card;

/** The class of secondary text in a card. */
export const quiet = css.quiet;

/** The class of an error in a card. */
export const refusal = css.refusal;
