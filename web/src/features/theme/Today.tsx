// Today's theme as guests see it, and the text that both cards show.

import type { ReactNode } from "react";
import type { Theme } from "../../engine/types.gen";
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
    <section aria-label="Today's Theme" className={cx(card, css.card)}>
      <p className={cx(css.label, css.still)}>Today's Theme</p>
      <Words theme={theme}>
        <Chip>{`#${theme.tag}`}</Chip>
        <LinkButton href="/signup" variant="quiet">
          Join to Participate
        </LinkButton>
      </Words>
    </section>
  );
}

export function Words({ theme, children }: { theme: Theme; children: ReactNode }) {
  return (
    <div className={css.words}>
      <h2 className={css.title} dir="auto">
        {theme.title}
      </h2>
      <p dir="auto">{theme.description}</p>
      <div className={css.actions}>{children}</div>
    </div>
  );
}
