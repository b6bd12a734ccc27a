// Which theme is shown, and whether its card is open.

import { useEffect, useEffectEvent, useState } from "react";
import type { RefObject } from "react";
import { useStore } from "../../engine/store";
import type { Theme } from "../../engine/types.gen";
import { local } from "../../storage";
import { readTheme } from "./api";
import { themeOfPage } from "./page";

const KEY = "mellow.theme-card";
/** How long a page without a theme waits for the reply before it shows the content below. */
const WAIT_MS = 1_000;

/** Requests today's theme while it is unknown or may be out of date. */
function useAsk(failed: () => void): void {
  const asks = useStore((s) => s.theme.at === 0 && s.connection.state === "live");
  const failedNow = useEffectEvent(failed);
  useEffect(() => {
    if (asks) readTheme().catch(() => failedNow());
  }, [asks]);
}

const isSame = (a: Theme | null, b: Theme | null): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * Returns the theme to show. A new theme replaces it only while nobody reads it: when the user returns to the
 * tab, or while the card is out of sight. `waits`: it is not known yet whether there will be a card.
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

  // The first reply is shown at once, unless it took too long.
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
      // The card is above the visible content, which keeps its place.
      if (seen?.isIntersecting === false) show(newest);
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

/** Whether the card is open in this visit. A new visit reads the storage. */
let kept: { day: string; open: boolean } | null = null;

/**
 * Returns whether the card is open: on the first visit of a day, and after that as it was left, or closed.
 */
export function isOpenOn(day: string): boolean {
  if (kept?.day === day) return kept.open;
  const [heldDay, held] = (local.getItem(KEY) ?? "").split(" ");
  const isFirst = heldDay !== day;
  keepOpen(day, isFirst || held === "open", isFirst ? "seen" : (held ?? "seen"));
  return isFirst || held === "open";
}

export function keepOpen(day: string, open: boolean, as = open ? "open" : "closed"): void {
  kept = { day, open };
  local.setItem(KEY, `${day} ${as}`);
}

/** Ends the visit, as a reload does. For tests. */
export function forgetVisit(): void {
  kept = null;
}
