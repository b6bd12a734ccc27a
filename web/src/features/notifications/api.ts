// The list of notifications: read older pages, and delete one.

import { ask } from "../../engine/client";
import type { Loads } from "../../engine/feature";
import { loadNotifications, loadOlderNotifications, setNotifications, notificationsDeleted } from "./state";
import type { Id } from "../../engine/state";
import { store, update } from "../../engine/store";
import { RefusedError } from "../../engine/ask";
import { newKey } from "../../engine/keys";

export const loads = {
  "notifications.page": (state, page, { before }) =>
    before === null ? loadNotifications(state, page) : loadOlderNotifications(state, before, page),
} satisfies Loads;

/** Reads the next page. Throws a RefusedError; the list then stays as it was. */
export async function readOlderNotifications(): Promise<void> {
  const { older, loadingOlder } = store.getState().notifications;
  if (older === null || loadingOlder) return;
  update((s) => setNotifications(s, { loadingOlder: true }));
  try {
    const page = await ask("notifications.page", { before: older });
    update((s) => loadOlderNotifications(s, older, page));
  } finally {
    update((s) => (s.notifications.loadingOlder ? setNotifications(s, { loadingOlder: false }) : s));
  }
}

/** Deletes a notification. It is hidden at once, and shown again if the server refuses. Throws a RefusedError. */
export async function deleteNotification(id: Id): Promise<void> {
  update((s) => setNotifications(s, { deletes: [...s.notifications.deletes, id] }));
  try {
    const ok = await ask("notifications.delete", { key: newKey(), notification_id: id });
    update((s) => notificationsDeleted(s, [id], null, ok.seq));
  } catch (error) {
    // It was deleted already, so nothing is left to do.
    if (error instanceof RefusedError && error.code === "not_found")
      update((s) => notificationsDeleted(s, [id], null, 0));
    else {
      update((s) => setNotifications(s, { deletes: s.notifications.deletes.filter((one) => one !== id) }));
      throw error;
    }
  }
}
