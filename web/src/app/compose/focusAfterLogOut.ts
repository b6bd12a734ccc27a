// The focus after a log-out on Home. The address stays the same there, so no new page takes the focus (app/usePage.ts),
// and the account menu, which had it, goes with the login.

import { store } from "../../engine/store";
import { catchFocus } from "../../ui/focus";
import { pageHeading } from "../../ui/pageHeading";

/** How many frames the first screen of a guest may take to be shown. */
const FRAMES_MAX = 120;

let end: () => void = () => undefined;

/** To be called before a log-out: if nothing has the focus after it, the heading gets it. */
export function focusAfterLogOut(): void {
  // A log-out that was asked for before may have been cancelled.
  end();
  end = store.subscribe(({ session }) => {
    if (session.phase !== "guest") return;
    end();
    catchFocus(pageHeading, FRAMES_MAX);
  });
}
