// Counts the minutes of the person who is signed in, if they asked for it (D-U5).
//
// These files are fetched for everybody. Otherwise the requests for them would tell the server who asked for it.

import { createRoot } from "react-dom/client";
import { store } from "../../engine/store";
import { local } from "../../storage";
import { noticePlace } from "../../ui/noticePlace";
import { TimeReminder } from "./TimeReminder";
import { dropSums, isOfTimeHere } from "./kept";
import { timeHere } from "./minutes";
import { watchUse } from "./use";

let isStarted = false;

/** Starts counting in this tab. */
export function startTimeHere(): void {
  if (isStarted) return;
  isStarted = true;
  createRoot(noticePlace()).render(<TimeReminder />);
  watchUse(() => {
    const { me } = store.getState().session;
    if (me !== null) timeHere.used(me.id);
  });
}

/**
 * Starts counting as soon as a person is here who asked for it, also in another tab. A log-out deletes the sum, and so does
 * the log-in of another person.
 */
export function followTimeHere(): void {
  const look = (): void => {
    const { phase, me } = store.getState().session;
    if (phase === "guest") dropSums(local, null);
    if (me === null) return;
    dropSums(local, me.id);
    if (timeHere.choice(me.id).isOn) startTimeHere();
  };
  store.subscribe((state, before) => {
    if (state.session !== before.session) look();
  });
  addEventListener("storage", ({ key }) => {
    if (isOfTimeHere(key)) look();
  });
  look();
}
