// The requests of Settings. The components show the messages and forms.

import { ask } from "../../engine/client";
import { store, update } from "../../engine/store";
import { newKey } from "../../engine/keys";
import type { LeftGroup, Login, Me, QuietHours } from "../../engine/types.gen";

/** The time for an export, because packing years of pictures takes long. */
const EXPORT_MS = 60_000;

/** Requests another email address, which takes effect when it is confirmed. A retry has the same key. */
export async function changeEmail(key: ArrayBuffer, email: string, password: string): Promise<void> {
  const whose = store.getState().session.me?.id;
  const { pending_email } = await ask("auth.change_email", { key, email, password });
  know(whose, { pending_email });
}

export async function sendReset(): Promise<void> {
  await ask("auth.send_reset", { key: newKey() });
}

/** Reads the viewer's logins; the one that was used last is first. */
export async function readLogins(): Promise<Login[]> {
  return (await ask("auth.logins", {})).logins;
}

export async function logOutOthers(): Promise<void> {
  await ask("auth.log_out_others", { key: newKey() });
}

/** Changed settings about what others see of the viewer, and what they may do. */
export type PrivacyWish = Partial<Pick<Me, "hide_numbers" | "listed" | "adders" | "commenters">>;

export async function setPrivacy(wish: PrivacyWish): Promise<void> {
  const whose = store.getState().session.me?.id;
  const unchanged = { hide_numbers: null, listed: null, adders: null, commenters: null };
  const ok = await ask("account.set_privacy", { key: newKey(), ...unchanged, ...wish });
  const { hide_numbers, listed, adders, commenters } = ok;
  know(whose, { hide_numbers, listed, adders, commenters });
}

/** Sets the quiet hours. The event of the account says until when they last, if they do. */
export async function setQuietHours(hours: QuietHours): Promise<void> {
  const whose = store.getState().session.me?.id;
  const { quiet_hours } = await ask("quiet.set", { key: newKey(), ...hours });
  know(whose, { quiet_hours });
}

/** Reads the groups that the viewer left and so cannot be added to again. */
export async function readLeftGroups(): Promise<LeftGroup[]> {
  return (await ask("groups.not_again", {})).groups;
}

/** Lets the owner of such a group add the viewer again. Returns the remaining groups. */
export async function allowAgain(groupId: number): Promise<LeftGroup[]> {
  return (await ask("groups.allow_again", { key: newKey(), group_id: groupId })).groups;
}

/** Makes an export of the viewer's data. Returns its address, which works once. */
export async function exportData(): Promise<string> {
  return (await ask("account.export", {}, { timeoutMs: EXPORT_MS })).url;
}

/** Applies a reply about the account. Other tabs receive an event, but here the reply may be first. */
function know(whose: number | undefined, more: Partial<Me>): void {
  update((s) => {
    const { me } = s.session;
    return me === null || me.id !== whose ? s : { ...s, session: { ...s.session, me: { ...me, ...more } } };
  });
}
