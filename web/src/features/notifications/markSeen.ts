// Opening the notifications: reads the newest and marks all as seen. The bell does it before the screen loads.
//
// Promises: the dot disappears in this tab with the press, and no older event brings it back; the request is
// repeated until the server has answered it. Never: one request per notification.

import { ask, client } from "../../engine/client";
import { rereadNotifications } from "./reread";
import { NOTIFICATIONS_VIEW, hasDot, loadNotifications, note, notificationsSeen } from "./state";
import { store, update } from "../../engine/store";
import { newKey } from "../../engine/keys";

/** How long what was read stays without a screen that shows it. */
const WAIT_MS = 10_000;

/** The page is opened: reads the newest, and says that all are seen. */
export function openNotifications(): void {
  const letGo = client.onScreen(NOTIFICATIONS_VIEW);
  setTimeout(letGo, WAIT_MS);
  // The page is asked for first: it still says which of them are new.
  void readNotifications();
  markSeen();
}

/** Says that all there are were seen, if any was not. */
export function markSeen(): void {
  if (hasDot(store.getState())) void sendRead();
}

/** Reads the newest notifications, unless they are here. */
export async function readNotifications(): Promise<void> {
  const { status } = store.getState().notifications;
  if (status === "loading" || status === "ready") return;
  update((s) => note(s, { status: "loading" }));
  try {
    const page = await ask("notifications.page", { before: null });
    // After a logout there are none any more.
    if (store.getState().notifications.status !== "loading") return;
    update((s) => loadNotifications(s, page));
    markSeen();
  } catch {
    if (store.getState().notifications.status === "loading") update((s) => note(s, { status: "failed" }));
  }
}

/** Reads again what is listed, since some of it may say less now, or more. */
export async function readAgain(): Promise<void> {
  const { items } = store.getState().notifications;
  update((s) => note(s, { stale: false }));
  // What is listed stays; the next return of the connection is another chance.
  await rereadNotifications({ ask, update, state: () => store.getState() }, items.length).catch(
    () => undefined,
  );
}

async function sendRead(): Promise<void> {
  const count = (by: number) => update((s) => note(s, { looks: Math.max(0, s.notifications.looks + by) }));
  count(1);
  try {
    const ok = await ask("notifications.read", { key: newKey() });
    update((s) => notificationsSeen(s, ok.seq));
  } catch {
    // Refused: the dot is there again, and the next look asks again.
  }
  count(-1);
}
