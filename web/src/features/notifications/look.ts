// Looking at what is new: the bell does it before its page is even here.
//
// Promises: from the press on the dot is gone in this tab, and nothing that was known before brings it
// back; the wish waits in the outbox until the server has it. Never: one wish per item.

import { ask, client } from "../../store/client";
import { rereadNotices } from "../../store/refresh";
import { NOTICES_VIEW, hasDot, loadNotices, note, noticesSeen } from "../../store/notifications";
import { store, update } from "../../store/store";
import { newKey } from "../../wire/keys";

/** How long what was read stays without a screen that shows it. */
const WAIT_MS = 10_000;

/** The page is opened: reads the newest, and says that all are seen. */
export function look(): void {
  const letGo = client.hold(NOTICES_VIEW);
  setTimeout(letGo, WAIT_MS);
  // The page is asked for first: it still says which of them are new.
  void readNotices();
  seen();
}

/** Says that all there are were seen, if any was not. */
export function seen(): void {
  if (hasDot(store.getState())) void say();
}

/** Reads the newest notifications, unless they are here. */
export async function readNotices(): Promise<void> {
  const { status } = store.getState().notices;
  if (status === "loading" || status === "ready") return;
  update((s) => note(s, { status: "loading" }));
  try {
    const page = await ask("notifications.page", { before: null });
    // Whoever logged out meanwhile has none any more.
    if (store.getState().notices.status !== "loading") return;
    update((s) => loadNotices(s, page));
    seen();
  } catch {
    if (store.getState().notices.status === "loading") update((s) => note(s, { status: "failed" }));
  }
}

/** Reads again what is listed, since some of it may say less now, or more. */
export async function readAgain(): Promise<void> {
  const { items } = store.getState().notices;
  update((s) => note(s, { stale: false }));
  // What is listed stays; the next return of the line is another chance.
  await rereadNotices({ ask, update, state: () => store.getState() }, items.length).catch(() => undefined);
}

async function say(): Promise<void> {
  const count = (by: number) => update((s) => note(s, { looks: Math.max(0, s.notices.looks + by) }));
  count(1);
  try {
    const ok = await ask("notifications.read", { key: newKey() });
    update((s) => noticesSeen(s, ok.seq));
  } catch {
    // Refused: the dot is there again, and the next look asks again.
  }
  count(-1);
}
