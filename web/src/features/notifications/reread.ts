// Reads the notifications again.

import type { Tools } from "../../engine/feature";
import { asRead, isQuiet } from "../../engine/state";
import { dotKnown, loadNotifications } from "./state";

/**
 * Reads the notifications again, as many as are held, and replaces them together. If no list is held, it only
 * updates the dot. In quiet hours there is no dot, and nobody asked for a list.
 */
export async function rereadNotifications({ ask, update, state }: Tools, length: number): Promise<void> {
  if (state().notifications.status === "none" && isQuiet(state())) return;
  let page = await ask("notifications.page", { before: null });
  while (page.older !== null && page.notifications.length < length) {
    const { notifications, users, older } = await ask("notifications.page", { before: page.older });
    page = {
      ...page,
      notifications: [...page.notifications, ...notifications],
      users: [...page.users, ...users],
      older,
    };
  }
  const isListed = state().notifications.status === "ready";
  update((s) => (isListed ? loadNotifications(s, page) : dotKnown(s, page.has_unread, asRead(page.seq))));
}
