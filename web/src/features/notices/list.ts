// The notices about the viewer's account, for this login (D-V6). They are read again whenever they have changed.

import { ask } from "../../engine/client";
import type { Id } from "../../engine/state";
import { store } from "../../engine/store";
import type { Notice } from "../../engine/types.gen";

let notices: readonly Notice[] = [];
const watchers = new Set<() => void>();

function set(next: readonly Notice[]): void {
  if (next.length === 0 && notices.length === 0) return;
  notices = next;
  for (const watch of watchers) watch();
}

/** The newest is first. */
export const noticeList = {
  get: (): readonly Notice[] => notices,
  watch: (watch: () => void): (() => void) => {
    watchers.add(watch);
    return () => watchers.delete(watch);
  },
  /** The notice was answered. */
  drop: (id: Id): void => set(notices.filter((one) => one.id !== id)),
};

/** Whose notices are known, and which change they contain. */
let whose: Id | null = null;
let known = "";
let hasFailed = false;

/** Reads the notices if they are not known, or have changed. A read that failed waits for the next connection. */
export function readNotices(): void {
  const { session, connection, changedAt, resyncs } = store.getState();
  const userId = session.phase === "signed-in" ? (session.me?.id ?? null) : null;
  if (userId !== whose) {
    whose = userId;
    known = "";
    set([]);
  }
  if (userId === null) return;
  if (connection.state !== "live") {
    if (hasFailed) known = "";
    return;
  }
  const wanted = `${String(changedAt)}/${String(resyncs)}`;
  if (wanted === known) return;
  known = wanted;
  hasFailed = false;
  ask("notices.list", {}).then(
    (ok) => {
      if (userId === whose && wanted === known) set(ok.notices);
    },
    () => {
      if (userId === whose && wanted === known) hasFailed = true;
    },
  );
}
