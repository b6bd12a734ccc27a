// Asks before a page with unsaved text is left by a link, by logging out, by Back or Forward, or by closing
// the tab.
//
// Promises: a step through the history is reverted at once, so that the address, the history and the scroll
// positions stay the same. It is repeated if the user decides to leave. The browser asks before the tab is
// closed. Never: a page that cannot be left, whatever its history is.

import { guardLeaving, showAddress } from "../leaveGuard";
import { stepOf } from "../scrollPositions";

/**
 * How many steps through the history are reverted without an answer, and how long a revert may take. After
 * that the guard lets the page be left. The draft is kept.
 */
const TURNS_MAX = 3;
const TURN_MS = 1_000;

export type Leaving = { go(): void; logsOut: boolean };

/** Calls `ask` before the page is left. Returns a function that removes the guard. */
export function guardPage(ask: (leaving: Leaving) => void): () => void {
  const { pathname: path } = location;
  let { search } = location;
  let here = stepOf(history.state) ?? 0;
  /** The target of a reverted step, relative to this entry of the history. */
  let revertedSteps = 0;
  let turns = 0;
  let overdue: ReturnType<typeof setTimeout> | undefined;

  const stop = (): void => {
    release();
    showAddress(null);
    clearTimeout(overdue);
    removeEventListener("pushState", settle);
    removeEventListener("beforeunload", onClose);
  };
  /** The page got another address, such as another tag. */
  const settle = (): void => {
    ({ search } = location);
    here = stepOf(history.state) ?? here;
  };
  const asked = (go: () => void, logsOut: boolean): void =>
    ask({
      logsOut,
      go: () => {
        stop();
        go();
      },
    });
  const onStep = (event: PopStateEvent): void => {
    if (location.pathname === path && revertedSteps === 0) {
      settle();
      return;
    }
    const by = (stepOf(event.state) ?? here - 1) - here;
    if (by !== 0 && turns === TURNS_MAX) {
      stop();
      return;
    }
    event.stopImmediatePropagation();
    clearTimeout(overdue);
    if (by === 0) {
      // The step is reverted. Now the guard asks.
      showAddress(null);
      const steps = revertedSteps;
      revertedSteps = turns = 0;
      asked(() => history.go(steps), false);
      return;
    }
    revertedSteps = by;
    turns += 1;
    showAddress({ path, search });
    history.go(-by);
    overdue = setTimeout(() => {
      stop();
      dispatchEvent(new PopStateEvent("popstate", { state: history.state as unknown }));
    }, TURN_MS);
  };
  const onClose = (event: BeforeUnloadEvent): void => {
    event.preventDefault();
    // Some browsers need this instead of the line above.
    event.returnValue = "";
  };

  const release = guardLeaving(asked, onStep);
  addEventListener("pushState", settle);
  addEventListener("beforeunload", onClose);
  return stop;
}
