// The page of Settings: its sections, and a list of links to them, which says where the reader is. The address
// may name a section, or a control in it: `/settings#invitations`, `/settings#create-invitation`.
//
// Promise: the list has its final length at the first paint, unless a section turns out to be absent. What the
// address names stays in place while sections above it are loaded, until the reader does something.

import type { LucideIcon } from "lucide-react";
import {
  Ban,
  CircleQuestionMark,
  Download,
  Hourglass,
  KeyRound,
  Languages,
  Lock,
  MoonStar,
  Palette,
  Settings2,
  Shield,
  Ticket,
  UserRound,
} from "lucide-react";
import type { ReactNode, RefObject } from "react";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { say } from "../../say";
import { anchorOf } from "./Section";
import type { Title } from "./words";
import { titles } from "./words";
import css from "./settings.module.css";

const ICONS: Record<string, LucideIcon> = {
  [titles.privacy]: Shield,
  [titles.quiet]: MoonStar,
  [titles.hidden]: Ban,
  [titles.invitations]: Ticket,
  [titles.language]: Languages,
  [titles.timeHere]: Hourglass,
  [titles.look]: Palette,
  [titles.logins]: Lock,
  [titles.passkeys]: KeyRound,
  [titles.data]: Download,
  [titles.help]: CircleQuestionMark,
  [titles.account]: UserRound,
};

const ACTIONS = ["wheel", "touchstart", "keydown", "pointerdown"] as const;

export function Sections({ children }: { children: ReactNode }) {
  const root = useRef<HTMLDivElement>(null);
  const listed = useListed(root);
  const here = useHere(root, listed);
  useEffect(() => {
    let stop = nothing;
    const go = (): void => {
      stop();
      const id = location.hash.slice(1);
      stop = id === "" || root.current === null ? nothing : lead(root.current, id);
    };
    go();
    addEventListener("hashchange", go);
    return () => {
      stop();
      removeEventListener("hashchange", go);
    };
  }, []);

  return (
    <div className={css.settings}>
      <h1>{say(titles.settings)}</h1>
      <nav aria-label={say(titles.sections)} className={css.places}>
        <ul role="list">
          {listed.map((title) => {
            const Icon = ICONS[title] ?? Settings2;
            return (
              <li key={title}>
                <a
                  href={`#${anchorOf(title)}`}
                  aria-current={title === here ? "location" : undefined}
                  onClick={(event) => {
                    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
                    event.preventDefault();
                    // Back leaves Settings at once, however many sections were visited.
                    history.replaceState(history.state, "", `#${anchorOf(title)}`);
                    if (root.current !== null) lead(root.current, anchorOf(title));
                  }}
                >
                  <Icon size={20} strokeWidth={1.75} aria-hidden="true" />
                  <span>{say(title)}</span>
                </a>
              </li>
            );
          })}
        </ul>
      </nav>
      <div ref={root} className={css.sections}>
        {children}
      </div>
    </div>
  );
}

function nothing(): void {
  // There is nothing to stop.
}

const sectionsOf = (root: HTMLElement): HTMLElement[] => [
  ...root.querySelectorAll<HTMLElement>(":scope > [data-section]"),
];

const titleOf = (section: Element | undefined): Title | null =>
  Object.values(titles).find((title) => title === section?.getAttribute("data-section")) ?? null;

/** Returns the titles of the sections. One that is still loading counts. */
function useListed(root: RefObject<HTMLElement | null>): readonly Title[] {
  const [listed, setListed] = useState<readonly Title[]>([]);
  useLayoutEffect(() => {
    const box = root.current;
    if (box === null) return;
    const read = (): void => {
      const now = sectionsOf(box).flatMap((one) => titleOf(one) ?? []);
      setListed((held) => (held.join() === now.join() ? held : now));
    };
    read();
    const watcher = new MutationObserver(read);
    watcher.observe(box, { childList: true });
    return () => watcher.disconnect();
  }, [root]);
  return listed;
}

/** Returns the title of the section at the top of the window, or of the last one at the end of the page. */
function useHere(root: RefObject<HTMLElement | null>, listed: readonly Title[]): Title | null {
  const [here, setHere] = useState<Title | null>(null);
  useEffect(() => {
    const look = (): void => {
      const all = root.current === null ? [] : sectionsOf(root.current);
      const { scrollPaddingBlockStart } = getComputedStyle(document.documentElement);
      const top = (parseFloat(scrollPaddingBlockStart) || 0) + 24;
      const isAtEnd = scrollY > 0 && scrollY + innerHeight >= document.documentElement.scrollHeight - 2;
      const passed = all.filter((one) => one.getBoundingClientRect().top < top);
      const found = isAtEnd ? all.at(-1) : (passed.at(-1) ?? all[0]);
      setHere(titleOf(found));
    };
    look();
    addEventListener("scroll", look, { passive: true });
    return () => removeEventListener("scroll", look);
  }, [root, listed]);
  return here;
}

/**
 * Scrolls to a section and moves the focus to its heading, or to a control. While something above is still loading,
 * it does so again, unless the reader does something meanwhile.
 */
function lead(root: HTMLElement, id: string): () => void {
  const go = (): boolean => {
    const found = root.querySelector<HTMLElement>(`#${CSS.escape(id)}`);
    const heading = found?.querySelector("h2");
    found?.scrollIntoView({ block: heading ? "start" : "center", behavior: "instant" });
    (heading ?? found)?.focus({ preventScroll: true });
    return root.querySelector("[data-waits]") === null;
  };
  const watcher = new MutationObserver(() => {
    if (go()) stop();
  });
  const stop = (): void => {
    watcher.disconnect();
    for (const kind of ACTIONS) removeEventListener(kind, stop);
  };
  if (go()) return stop;
  watcher.observe(root, { childList: true, subtree: true, attributeFilter: ["data-waits"] });
  for (const kind of ACTIONS) addEventListener(kind, stop, { passive: true });
  return stop;
}
