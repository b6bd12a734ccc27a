// Tabs over one panel. The arrow keys, Home and End open the next, first and last one.

import type { KeyboardEvent } from "react";
import { useRef } from "react";
import { isRtl } from "../say";
import css from "./Tabs.module.css";

type TabsProps<Id extends string> = {
  label: string;
  tabs: readonly { id: Id; name: string }[];
  /** The id of the open tab. */
  at: Id;
  /** The id of the panel's element, which is labelled by `tabId(at)`. */
  panel: string;
  onTab(to: Id): void;
};

export const tabId = (id: string): string => `tab-${id}`;

export function Tabs<Id extends string>({ label, tabs, at, panel, onTab }: TabsProps<Id>) {
  const list = useRef<HTMLDivElement>(null);

  const onKey = (event: KeyboardEvent): void => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const index = tabs.findIndex(({ id }) => id === at);
    const onward = isRtl() ? -1 : 1;
    const steps: Record<string, number> = {
      ArrowLeft: index - onward,
      ArrowRight: index + onward,
      Home: 0,
      End: tabs.length - 1,
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const to = (step + tabs.length) % tabs.length;
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[to]?.focus();
    onTab(tabs[to]?.id ?? at);
  };

  return (
    <div role="tablist" aria-label={label} className={css.tabs} ref={list}>
      {tabs.map(({ id, name }) => (
        <button
          key={id}
          type="button"
          role="tab"
          id={tabId(id)}
          className={css.tab}
          aria-selected={id === at}
          aria-controls={panel}
          tabIndex={id === at ? 0 : -1}
          onClick={() => id !== at && onTab(id)}
          onKeyDown={onKey}
        >
          {name}
        </button>
      ))}
    </div>
  );
}
