// Today's theme for signed-in users: a card that opens and closes, with a link to the posts about it.
//
// Promise: the card does not change while it is read, and nothing below it moves.

import { ChevronDown } from "lucide-react";
import { useRef, useState } from "react";
import { useLocation, useSearch } from "wouter";
import { themeWords } from "../../languages";
import { say } from "../../say";
import { card as paper } from "../../ui/card";
import { chip } from "../../ui/Chip";
import { cx } from "../../ui/cx";
import { LinkButton } from "../../ui/LinkButton";
import type { Theme } from "../../engine/types.gen";
import { Words } from "./Today";
import { isOpenOn, keepOpen, useTheme } from "./useTheme";
import css from "./theme.module.css";

export function ThemeCard() {
  const card = useRef<HTMLElement>(null);
  const { theme, waits } = useTheme(card);
  if (theme === null) return waits ? <div data-waits /> : null;
  return (
    <section aria-label={say("Today's Theme")} className={cx(paper, css.card)} ref={card}>
      <Today key={theme.day} theme={theme} />
    </section>
  );
}

function Today({ theme }: { theme: Theme }) {
  const [, navigate] = useLocation();
  const search = useSearch();
  const [open, setOpen] = useState(() => isOpenOn(theme.day));
  const filter = () => {
    const query = new URLSearchParams(search);
    query.set("tag", theme.tag);
    navigate(`/?${query.toString()}`);
  };
  return (
    <>
      <button
        type="button"
        className={css.bar}
        aria-expanded={open}
        onClick={() => {
          setOpen(!open);
          keepOpen(theme.day, !open);
        }}
      >
        <span className={css.label}>{say("Today's Theme")}</span>
        {!open && (
          <span className={css.glimpse} aria-hidden="true" dir="auto">
            {themeWords(theme).title}
          </span>
        )}
        <ChevronDown className={css.mark} size={20} strokeWidth={1.75} aria-hidden="true" />
      </button>
      {open && (
        <Words theme={theme}>
          <button type="button" className={cx(chip, css.tag)} dir="auto" onClick={filter}>
            {`#${theme.tag}`}
          </button>
          <LinkButton href={`/create-post?tag=${encodeURIComponent(theme.tag)}`} variant="quiet">
            {say("Share Your Take")}
          </LinkButton>
        </Words>
      )}
    </>
  );
}
