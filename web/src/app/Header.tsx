import { Suspense, lazy, useRef } from "react";
import { Link, useLocation } from "wouter";
import { useSession } from "../engine/session";
import { say } from "../say";
import { shell } from "../text";
import { LinkButton } from "../ui/LinkButton";
import { fetchUntilLoaded } from "./retry";
import { isAway, nextOf, withNext } from "./paths";
import { useHeaderAway } from "./useHeaderAway";
import { useQuery } from "./useQuery";
import css from "./Header.module.css";

const Account = lazy(fetchUntilLoaded(() => import("./Account")));

/** The header of every page. It hides while the reader scrolls down and returns when they scroll up. */
export function Header({ onLogOut }: { onLogOut(): void }) {
  const { phase } = useSession();
  const [path] = useLocation();
  const next = nextOf(path, useQuery());
  const header = useRef<HTMLElement>(null);
  useHeaderAway(header);

  return (
    <header ref={header} className={css.header}>
      <div className={css.inner}>
        <Link href="/" className={css.logo}>
          <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true" focusable="false">
            <circle cx="16" cy="10" r="4" className={css.sun} />
            <path d="M4 21c3 0 3-4 6-4s3 4 6 4 3-4 6-4 3 4 6 4" className={css.wave} />
          </svg>
          <span>{shell.name}</span>
        </Link>
        {phase === "guest" ? (
          <div className={css.links}>
            <LinkButton href={withNext("/login", next)} variant="plain" current={path === "/login"}>
              {say(shell.logIn)}
            </LinkButton>
            <LinkButton href={withNext("/signup", next)} variant="quiet" current={path === "/signup"}>
              {say(shell.signUp)}
            </LinkButton>
          </div>
        ) : (
          // Without a socket there is no connection to show, and nothing new to tell.
          !isAway(path) && (
            <Suspense fallback={null}>
              <Account onLogOut={onLogOut} />
            </Suspense>
          )
        )}
      </div>
    </header>
  );
}
