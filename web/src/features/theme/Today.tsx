// Today's theme as guests see it, and the text that both cards show.

import type { ReactNode } from "react";
import type { Theme } from "../../engine/types.gen";
import { themeWords } from "../../languages";
import { say } from "../../say";
import { Chip } from "../../ui/Chip";
import { card } from "../../ui/card";
import { cx } from "../../ui/cx";
import { LinkButton } from "../../ui/LinkButton";
import { themeOfPage } from "./page";
import css from "./theme.module.css";

/** The card for guests. It is always open, and links to the sign-up. */
export function GuestTheme() {
  const theme = themeOfPage();
  if (theme === null) return null;
  return (
    <section aria-label={say("Today's Theme")} className={cx(card, css.card)}>
      <p className={cx(css.label, css.still)}>{say("Today's Theme")}</p>
      <Words theme={theme}>
        <Chip>{`#${theme.tag}`}</Chip>
        <LinkButton href="/signup" variant="quiet">
          {say("Join to Participate")}
        </LinkButton>
      </Words>
    </section>
  );
}

export function Words({ theme, children }: { theme: Theme; children: ReactNode }) {
  const { title, description } = themeWords(theme);
  return (
    <div className={css.words}>
      <h2 className={css.title} dir="auto">
        {title}
      </h2>
      <p dir="auto">{description}</p>
      <div className={css.actions}>{children}</div>
    </div>
  );
}
