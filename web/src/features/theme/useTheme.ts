// Which theme is shown, and whether its card is open.

import { useEffect, useEffectEvent, useState } from "react";
import type { RefObject } from "react";
import { useStore } from "../../engine/store";
import type { Theme } from "../../engine/types.gen";
import { readTheme } from "./api";
import { themeOfPage } from "./page";

const KEY = "mellow.theme-card";
/** A page without a theme waits so long for the answer before it shows what comes below. */
const WAIT_MS = 1_000;

/** Asks for today's theme while it is not known, or not for sure any more. */
function useAsk(failed: () => void): void {
  const asks = useStore((s) => s.theme.at === 0 && s.connection.state === "live");
  const failedNow = useEffectEvent(failed);
  useEffect(() => {
    if (asks) readTheme().catch(() => failedNow());
  }, [asks]);
}

const isSame = (a: Theme | null, b: Theme | null): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * The theme to show. Another one takes its place where nobody is reading: when the tab is come back to, or
 * while the card is out of sight. `waits`: it is not known yet whether there will be a card.
 */
export function useTheme(card: RefObject<HTMLElement | null>): { theme: Theme | null; waits: boolean } {
  const known = useStore((s) => s.theme.at > 0);
  const newest = useStore((s) => s.theme.now);
  const [theme, show] = useState(() => (known ? newest : themeOfPage()));
  const [waits, setWaits] = useState(!known && theme === null);
  useAsk(() => setWaits(false));
  const [isFirst, setFirst] = useState(!known);

  useEffect(() => {
    if (!waits) return;
    const timer = setTimeout(() => setWaits(false), WAIT_MS);
    return () => clearTimeout(timer);
  }, [waits]);

  // The first answer is not news: it is what the page was opened for, unless it took too long.
  if (known && isFirst) {
    setFirst(false);
    if (waits) setWaits(false);
    if ((waits || theme !== null) && !isSame(newest, theme)) show(newest);
  }

  useEffect(() => {
    if (!known || isSame(newest, theme)) return;
    const swap = (): void => {
      if (document.visibilityState === "visible") show(newest);
    };
    const box = card.current;
    const sight = new IntersectionObserver(([seen]) => {
      // Above what is read, only browsers that keep the place themselves may change the height.
      if (seen?.isIntersecting === false && CSS.supports("overflow-anchor", "auto")) show(newest);
    });
    if (box !== null) sight.observe(box);
    addEventListener("focus", swap);
    document.addEventListener("visibilitychange", swap);
    return () => {
      sight.disconnect();
      removeEventListener("focus", swap);
      document.removeEventListener("visibilitychange", swap);
    };
  }, [known, newest, theme, card]);

  return { theme, waits };
}

/** What this page has done with the card; a new visit asks the storage. */
let kept: { day: string; open: boolean } | null = null;

/** Open on the first visit of a day; after that as it was left, or closed. */
export function isOpenOn(day: string): boolean {
  if (kept?.day === day) return kept.open;
  const [heldDay, held] = read().split(" ");
  const isFirst = heldDay !== day;
  keepOpen(day, isFirst || held === "open", isFirst ? "seen" : (held ?? "seen"));
  return isFirst || held === "open";
}

export function keepOpen(day: string, open: boolean, as = open ? "open" : "closed"): void {
  kept = { day, open };
  try {
    localStorage.setItem(KEY, `${day} ${as}`);
  } catch {
    // Where storage is forbidden it lasts as long as the page.
  }
}

/** For tests: as after a reload. */
export function forgetVisit(): void {
  kept = null;
}

function read(): string {
  try {
    return localStorage.getItem(KEY) ?? "";
  } catch {
    return "";
  }
}
