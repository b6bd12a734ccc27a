// Opens the notifications: reads the newest and marks all as seen. The bell does this before the screen is
// loaded, so that they are there sooner.
//
// Promises: the dot disappears in this tab with the press, and no older event brings it back. The request is
// repeated until the server has replied. Never: one request per notification.

import { ask, client } from "../../engine/client";
import { rereadNotifications } from "./reread";
import { NOTIFICATIONS_VIEW, hasDot, loadNotifications, setNotifications, notificationsSeen } from "./state";
import { isQuiet } from "../../engine/state";
import { store, update } from "../../engine/store";
import { newKey } from "../../engine/keys";

/** How long the read notifications are held without a screen that shows them. */
const WAIT_MS = 10_000;

/** Called when the page is opened: reads the newest notifications and marks all as seen. */
export function openNotifications(): void {
  const release = client.onScreen(NOTIFICATIONS_VIEW);
  setTimeout(release, WAIT_MS);
  // The notifications are read first, because the reply still says which are new.
  void readNotifications();
  markSeen();
}

/** Marks all notifications as seen, if one is not. In quiet hours nothing says whether one is. */
export function markSeen(): void {
  const state = store.getState();
  if (hasDot(state) || isQuiet(state)) void sendRead();
}

/** Reads the newest notifications, unless they are held already. */
export async function readNotifications(): Promise<void> {
  const { status } = store.getState().notifications;
  if (status === "loading" || status === "ready") return;
  update((s) => setNotifications(s, { status: "loading" }));
  try {
    const page = await ask("notifications.page", { before: null });
    // The user may have logged out meanwhile.
    if (store.getState().notifications.status !== "loading") return;
    update((s) => loadNotifications(s, page));
    markSeen();
  } catch {
    if (store.getState().notifications.status === "loading")
      update((s) => setNotifications(s, { status: "failed" }));
  }
}

/** Reads the listed notifications again, because some may have lost their text or have it again. */
export async function readAgain(): Promise<void> {
  const { items } = store.getState().notifications;
  update((s) => setNotifications(s, { stale: false }));
  // After a failure the list stays as it is, and is read again at the next resync.
  await rereadNotifications({ ask, update, state: () => store.getState() }, items.length).catch(
    () => undefined,
  );
}

async function sendRead(): Promise<void> {
  const count = (by: number) =>
    update((s) => setNotifications(s, { looks: Math.max(0, s.notifications.looks + by) }));
  count(1);
  try {
    const ok = await ask("notifications.read", { key: newKey() });
    update((s) => notificationsSeen(s, ok.seq));
  } catch {
    // After a refusal the dot is shown again, and the next look sends the request again.
  }
  count(-1);
}
