// The frame around every page: skip links, header, navigation, main.

import type { ReactNode } from "react";
import { Suspense, lazy, useEffect, useLayoutEffect, useRef } from "react";
import { useLocation, useSearch } from "wouter";
import { useSession } from "../engine/session";
import { say } from "../say";
import { shell } from "../text";
import { Header } from "./Header";
import { Navigation } from "./Navigation";
import { fetchUntilLoaded } from "./retry";
import { usePage } from "./usePage";
import css from "./Layout.module.css";

/** The pages on which a guest chooses the language. */
const GUEST_PAGES = /^\/(?:|login|signup|forgot|invite\/[^/]+)\/?$/iu;
const GuestLanguage = lazy(fetchUntilLoaded(() => import("../features/shared/language/GuestLanguage")));

/** The pages that use the room beside the column on a wide screen: Home and Settings. */
const WIDE = /^\/(?:settings\/?)?$/iu;

export function Layout({ children, onLogOut }: { children: ReactNode; onLogOut(): void }) {
  const { phase } = useSession();
  const [path] = useLocation();
  const main = useRef<HTMLElement>(null);
  const member = phase !== "guest";
  const isCenter = useSearch().includes("tab=community-center");
  const isFeed = member && path === "/" && !isCenter;
  usePage(main);

  // Mellow keeps the reading position where the browser does not, as in Safari before 27. If the file for
  // that cannot be fetched, the position is simply not kept.
  useEffect(() => {
    if (CSS.supports("overflow-anchor", "auto")) return;
    const stop = import("./anchor").then(({ anchor }) => main.current && anchor(main.current));
    // See above.
    stop.catch(() => undefined);
    // See above.
    return () => void stop.then((end) => end?.()).catch(() => undefined);
  }, []);

  useEffect(() => {
    if (!member) return;
    const stop = import("./keepBelow").then(({ keepBelow }) => keepBelow());
    // Without the file what is below moves.
    stop.catch(() => undefined);
    // See above.
    return () => void stop.then((end) => end()).catch(() => undefined);
  }, [member]);

  // Set before the first paint, because the attribute moves the page on a wide screen.
  useLayoutEffect(() => {
    document.documentElement.toggleAttribute("data-bar", member);
  }, [member]);

  return (
    <>
      <SkipLink to={() => main.current}>{say(shell.skip)}</SkipLink>
      {isFeed && (
        <SkipLink to={() => main.current?.querySelector<HTMLElement>("[data-item]") ?? main.current}>
          {say(shell.skipToPosts)}
        </SkipLink>
      )}
      <Header onLogOut={onLogOut} />
      <div className={css.page}>
        {member && <Navigation />}
        <main
          ref={main}
          id="main"
          tabIndex={-1}
          className={css.main}
          data-wide={WIDE.test(path) || undefined}
        >
          {children}
        </main>
      </div>
      {!member && GUEST_PAGES.test(path) && (
        // Nothing is below it, so it may come later.
        <Suspense fallback={null}>
          <GuestLanguage />
        </Suspense>
      )}
    </>
  );
}

function SkipLink({ to, children }: { to(): HTMLElement | null; children: string }) {
  return (
    <a
      href="#main"
      className={css.skip}
      onClick={(event) => {
        event.preventDefault();
        to()?.focus();
      }}
    >
      {children}
    </a>
  );
}
