// The tabs of the page for admins.

import type { ReactNode } from "react";
import { say, sayAs } from "../../say";
import { Tabs, tabId } from "../../ui/Tabs";
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
  const Panel = panels[tab];
  const tabs = TABS.map((id) => ({
    id,
    name: id === "theme" ? sayAs("day", words.tabs.theme) : say(words.tabs[id]),
  }));
  return (
    <>
      <Tabs label={say(words.admin)} tabs={tabs} at={tab} panel="admin-panel" onTab={onTab} />
      <div role="tabpanel" id="admin-panel" aria-labelledby={tabId(tab)} className={css.panel}>
        <Panel key={tab} />
      </div>
    </>
  );
}
