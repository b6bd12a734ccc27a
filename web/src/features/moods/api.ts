// Moods: reading those of today, and sharing one's own.
//
// Promise: the server decides the slot and the day; the same mood for the same slot is shared once,
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

/** After a slot is over everybody of a time zone asks: each at some moment of so many milliseconds. */
const SPREAD_MS = 10_000;

/**
 * Where the viewer is, asked each time: people travel. Some browsers do not know their zone, or know one that
 * the server does not, so the server is told the clock too.
 */
const place = (): { zone: string; offset_minutes: number } => ({
  zone: (new Intl.DateTimeFormat().resolvedOptions().timeZone as string | undefined) ?? "",
  offset_minutes: -Math.round(new Date().getTimezoneOffset()),
});

/** Reads the viewer's day and the moods of those they follow; returns whether it succeeded. Older values stay until then. */
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

/** One's own slot is over: the next begins, and the server is asked for what it says. */
export function nextSlot(): () => void {
  update((s) => slotOver(s, now()));
  const timer = setTimeout(() => {
    void readMoods().then((went) => {
      // The list is read again, and once more when the connection comes back.
      if (!went) update((s) => setMoods(s, { stale: true }));
    });
  }, Math.random() * SPREAD_MS);
  return () => clearTimeout(timer);
}

/** Shares a mood, or one of an earlier page again. Throws when the server refused. */
export async function share(fields: Fields<"moods.set">): Promise<void> {
  const ok = await ask("moods.set", fields);
  update((s) => dayKnown(s, ok.mine, ok.seq));
}

/** One wish: the same mood for the same slot keeps the same key. */
export class Wish {
  private readonly key = new RequestKey();

  /** Shares it. Throws when the server refused; nothing is shared then. */
  async share(slot: Slot, mood: string): Promise<void> {
    update((s) => setMoods(s, { sending: mood }));
    try {
      await share({ key: this.key.for([slot, mood]), slot, mood, ...place() });
    } finally {
      update((s) => setMoods(s, { sending: null }));
    }
  }
}
