// What is shown for unknown addresses and unknown users, with links to go on.

import type { ReactNode } from "react";

import { say } from "../say";
import { LinkButton } from "../ui/LinkButton";
import css from "./NotFound.module.css";
import { notFound } from "./notFoundWords";

export function UserNotFound() {
  const search = (
    <LinkButton variant="quiet" href="/search">
      {say(notFound.people)}
    </LinkButton>
  );
  return (
    <NotFound title={say(notFound.user)} more={search}>
      {say(notFound.userWhy)}
    </NotFound>
  );
}

export function NotFound({ title, more, children }: { title: string; more?: ReactNode; children: string }) {
  return (
    <div className={css.lost}>
      <svg viewBox="0 0 120 48" width="120" height="48" aria-hidden="true" focusable="false">
        <circle cx="60" cy="26" r="13" className={css.sun} />
        <path
          className={css.water}
          d="M4 38c9 0 9-8 18.7-8s9.3 8 18.7 8 9.3-8 18.6-8 9.3 8 18.7 8 9.3-8 18.6-8 9.4 8 18.7 8V48H4z"
        />
        <path
          className={css.wave}
          d="M4 38c9 0 9-8 18.7-8s9.3 8 18.7 8 9.3-8 18.6-8 9.3 8 18.7 8 9.3-8 18.6-8 9.4 8 18.7 8"
        />
      </svg>
      <div role="status" className={css.words}>
        <h1>{title}</h1>
        <p>{children}</p>
      </div>
      <div className={css.ways}>
        <LinkButton href="/">{say(notFound.home)}</LinkButton>
        {more}
      </div>
    </div>
  );
}
