// The requests that block, mute, and remove a follower.

import { ask } from "../../../engine/client";
import { newKey } from "../../../engine/keys";
import type { Id } from "../../../engine/state";
import { store, update } from "../../../engine/store";
import { put } from "../../../engine/state";
import { mutesRead } from "./hidden";

const about = (user_id: Id) => ({ key: newKey(), user_id });

export const block = (userId: Id) => ask("people.block", about(userId));
export const unblock = (userId: Id) => ask("people.unblock", about(userId));
export const mute = (userId: Id) => ask("people.mute", about(userId));
export const unmute = (userId: Id) => ask("people.unmute", about(userId));

/** Ends a user's follow of the viewer. */
export async function removeFollower(userId: Id): Promise<void> {
  await ask("follows.remove", about(userId));
  update((s) => {
    const profile = s.profiles[userId];
    if (profile === undefined) return s;
    return { ...s, profiles: put(s.profiles, userId, { ...profile, follows_me: false }) };
  });
}

/**
 * Reads the muted users once. If this fails, the menu offers Mute, which is harmless because muting twice
 * changes nothing.
 */
export async function readMutes(): Promise<void> {
  if (store.getState().hidden.isRead) return;
  try {
    const ok = await ask("people.hidden", {});
    update((s) => mutesRead(s, ok.muted, ok.seq));
  } catch {
    // The next opening of a menu reads them again.
  }
}
