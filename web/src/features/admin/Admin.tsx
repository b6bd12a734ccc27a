// The tabs of the admin's page.

import type { KeyboardEvent, ReactNode } from "react";
import { useRef } from "react";
import { Health } from "./Health";
import { Invitations } from "./Invitations";
import { Log } from "./Log";
import { People } from "./People";
import { Reports } from "./Reports";
import { Theme } from "./Theme";
import type { Tab } from "./words";
import { TABS, words } from "./words";
import css from "./admin.module.css";

const panels: Record<Tab, () => ReactNode> = {
  people: People,
  reports: Reports,
  invitations: Invitations,
  theme: Theme,
  health: Health,
  log: Log,
};

export const tabOf = (name: string | null): Tab => TABS.find((tab) => tab === name) ?? "people";

export function Admin({ tab, onTab }: { tab: Tab; onTab(tab: Tab): void }) {
  const list = useRef<HTMLDivElement>(null);
  const Panel = panels[tab];

  const onKey = (event: KeyboardEvent): void => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const at = TABS.indexOf(tab);
    const steps: Record<string, number> = {
      ArrowLeft: at - 1,
      ArrowRight: at + 1,
      Home: 0,
      End: TABS.length - 1,
    };
    const to = steps[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const index = (to + TABS.length) % TABS.length;
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[index]?.focus();
    onTab(TABS[index] ?? tab);
  };

  return (
    <>
      <div role="tablist" aria-label={words.admin} className={css.tabs} ref={list}>
        {TABS.map((one) => (
          <button
            key={one}
            type="button"
            role="tab"
            id={`tab-${one}`}
            className={css.tab}
            aria-selected={one === tab}
            aria-controls="admin-panel"
            tabIndex={one === tab ? 0 : -1}
            onClick={() => onTab(one)}
            onKeyDown={onKey}
          >
            {words.tabs[one]}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="admin-panel" aria-labelledby={`tab-${tab}`} className={css.panel}>
        <Panel key={tab} />
      </div>
    </>
  );
}
