// The scroll positions of visited pages, and the items of lists that had the focus there. Each entry of the
// browser's history has a unique name in its state. The positions are in the session storage of this tab, so that
// they survive a reload. The state also has a step: how many pages of Mellow are before it in this tab.

import { session } from "../storage";

const STORE = "mellow.places";
const PLACES_MAX = 50;
const ENTRIES = ["pushState", "replaceState"];

type Saved = Record<string, number>;

export class ScrollPositions {
  private at: Saved = {};
  /** The item of a list that had the focus last. A reload begins without a focus, so this is not stored. */
  private items: Record<string, string | undefined> = {};
  private here = "";
  private opened = false;
  private step = stepOf(history.state) ?? 0;

  start(): () => void {
    history.scrollRestoration = "manual";
    // The router sends both events. A page that replaces another has the same step.
    const onEntry = ({ type }: Event): void => {
      if (type === "pushState") this.step += 1;
      if (stepOf(history.state) === null) setState({ step: this.step });
    };
    const onStep = ({ state }: PopStateEvent): void => {
      this.step = stepOf(state) ?? this.step;
    };
    for (const kind of ENTRIES) addEventListener(kind, onEntry, { capture: true });
    addEventListener("popstate", onStep, { capture: true });
    if (stepOf(history.state) === null) setState({ step: this.step });
    const onScroll = (): void => {
      if (this.here !== "") this.at[this.here] = scrollY;
    };
    const onFocus = ({ target }: FocusEvent): void => {
      if (this.here === "" || !(target instanceof Element)) return;
      this.items[this.here] = target.closest<HTMLElement>("main [data-item]")?.dataset["item"];
    };
    const onHide = (): void => this.save();
    addEventListener("scroll", onScroll, { passive: true });
    addEventListener("focusin", onFocus);
    addEventListener("pagehide", onHide);
    return () => {
      removeEventListener("scroll", onScroll);
      removeEventListener("focusin", onFocus);
      removeEventListener("pagehide", onHide);
      for (const kind of ENTRIES) removeEventListener(kind, onEntry, { capture: true });
      removeEventListener("popstate", onStep, { capture: true });
    };
  }

  /**
   * A page was opened. Returns its scroll position, 0 for a new page, whether it was visited before, and the item
   * of a list that had the focus then.
   */
  arrive(): { y: number; back: boolean; item?: string | undefined } {
    const isFirst = !this.opened;
    if (isFirst) {
      this.opened = true;
      this.at = load();
    }
    const state: unknown = history.state;
    const held = typeof state === "object" && state !== null && "place" in state ? state.place : null;
    // A new page has no name yet. A page with a name was visited before.
    const back = typeof held === "string";
    if (back) this.here = held;
    else {
      this.here = `${String(Date.now())}-${Math.random().toString(36).slice(2, 8)}`;
      setState({ place: this.here, isFirst });
    }
    return { y: back ? (this.at[this.here] ?? 0) : 0, back, item: this.items[this.here] };
  }

  private save(): void {
    const newest = Object.entries(this.at).slice(-PLACES_MAX);
    session.setItem(STORE, JSON.stringify(Object.fromEntries(newest)));
  }
}

/** Returns the step in the state of a history entry, or null. */
export function stepOf(state: unknown): number | null {
  return typeof state === "object" && state !== null && "step" in state && typeof state.step === "number"
    ? state.step
    : null;
}

function setState(more: object): void {
  history.replaceState({ ...(history.state as object | null), ...more }, "");
}

/**
 * Returns whether the page before this one in the history is one of Mellow's. False for the page that this
 * tab was opened with.
 */
export function hasMellowBehind(): boolean {
  const state: unknown = history.state;
  return typeof state === "object" && state !== null && "isFirst" in state && state.isFirst === false;
}

function load(): Saved {
  try {
    const saved: unknown = JSON.parse(session.getItem(STORE) ?? "{}");
    if (typeof saved !== "object" || saved === null) return {};
    return Object.fromEntries(
      Object.entries(saved).filter((entry): entry is [string, number] => typeof entry[1] === "number"),
    );
  } catch {
    // The text is not JSON.
    return {};
  }
}
