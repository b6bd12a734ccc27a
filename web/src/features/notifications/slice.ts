// The list of notifications: its older pages, and taking one away.

import { ask } from "../../store/client";
import { loadOlderNotices, note, noticesDeleted } from "../../store/notifications";
import type { Id } from "../../store/state";
import { store, update } from "../../store/store";
import { RefusedError } from "../../wire/ask";
import { newKey } from "../../wire/keys";

/** Reads the next page. Throws when it could not be read; the list is as it was. */
export async function readOlderNotices(): Promise<void> {
  const { older, loadingOlder } = store.getState().notices;
  if (older === null || loadingOlder) return;
  update((s) => note(s, { loadingOlder: true }));
  try {
    const page = await ask("notifications.page", { before: older });
    update((s) => loadOlderNotices(s, older, page));
  } finally {
    update((s) => (s.notices.loadingOlder ? note(s, { loadingOlder: false }) : s));
  }
}

/** Takes one away, here at once. Throws when the server refused; it is there again then. */
export async function deleteNotice(id: Id): Promise<void> {
  update((s) => note(s, { deletes: [...s.notices.deletes, id] }));
  try {
    const ok = await ask("notifications.delete", { key: newKey(), notification_id: id });
    update((s) => noticesDeleted(s, [id], null, ok.seq));
  } catch (error) {
    // What is gone already is what was wanted.
    if (error instanceof RefusedError && error.code === "not_found") update((s) => noticesDeleted(s, [id], null, 0));
    else {
      update((s) => note(s, { deletes: s.notices.deletes.filter((one) => one !== id) }));
      throw error;
    }
  }
}
