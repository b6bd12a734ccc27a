// Moods: read those of today, and share the viewer's own.
//
// Promise: the server decides the slot and the day, and the same mood for the same slot is shared once,
// however often it is sent.

import { ask } from "../../engine/client";
import type { Loads } from "../../engine/feature";
import type { Fields } from "../../engine/frames";
import { dayKnown, loadMoods, slotOver } from "./read";
import { setMoods } from "./state";
import { store, update } from "../../engine/store";
import { RequestKey } from "../../engine/keys";
import type { Slot } from "../../engine/types.gen";
import { now } from "../../ui/now";

export const loads = { "moods.today": loadMoods } satisfies Loads;

/** Everybody in a time zone asks after a slot is over, so each page waits a random time of at most this. */
const SPREAD_MS = 10_000;

/**
 * Returns where the viewer is. It is determined for each request, because people travel. The offset of the
 * clock is sent too, because some browsers do not know their zone, or know one that the server does not.
 */
const place = (): { zone: string; offset_minutes: number } => ({
  zone: (new Intl.DateTimeFormat().resolvedOptions().timeZone as string | undefined) ?? "",
  offset_minutes: -Math.round(new Date().getTimezoneOffset()),
});

/**
 * Reads the viewer's day and the moods of the people they follow. Returns whether it succeeded; if not, the
 * older values stay.
 */
export async function readMoods(): Promise<boolean> {
  const { status } = store.getState().moods;
  update((s) => setMoods(s, { stale: false, status: status === "ready" ? "ready" : "loading" }));
  try {
    const ok = await ask("moods.today", place());
    update((s) => loadMoods(s, ok));
    return true;
  } catch {
    update((s) => (s.moods.status === "loading" ? setMoods(s, { status: "failed" }) : s));
    return false;
  }
}

/**
 * The viewer's slot is over, so the next one begins here, and the server is asked to confirm it. Returns a
 * function that cancels the request.
 */
export function nextSlot(): () => void {
  update((s) => slotOver(s, now()));
  const timer = setTimeout(() => {
    void readMoods().then((went) => {
      // A failed read is repeated at once, and again when the connection is back.
      if (!went) update((s) => setMoods(s, { stale: true }));
    });
  }, Math.random() * SPREAD_MS);
  return () => clearTimeout(timer);
}

/** Shares a mood, or resends one of an earlier page. Throws a RefusedError. */
export async function share(fields: Fields<"moods.set">): Promise<void> {
  const ok = await ask("moods.set", fields);
  update((s) => dayKnown(s, ok.mine, ok.seq));
}

/** Shares moods so that the same mood for the same slot keeps its key. */
export class Wish {
  private readonly key = new RequestKey();

  /** Throws a RefusedError if the mood was not shared. */
  async share(slot: Slot, mood: string): Promise<void> {
    update((s) => setMoods(s, { sending: mood }));
    try {
      await share({ key: this.key.for([slot, mood]), slot, mood, ...place() });
    } finally {
      update((s) => setMoods(s, { sending: null }));
    }
  }
}
