// Reads an invitation. The sign-up shows what the page of the invitation has read, so that it does not wait again.

import type { Ok } from "../../engine/frames";
import { askAsGuest } from "../../engine/session";

export type Invitation = Ok<"invites.get">;

let last: { code: string; invitation: Invitation } | null = null;

/** Returns the invitation if it was read before; null otherwise. */
export const knownInvitation = (code: string | null): Invitation | null =>
  last !== null && last.code === code ? last.invitation : null;

/** Throws a RefusedError; its code is `invite_expired` if the invitation has ended. */
export async function readInvitation(code: string): Promise<Invitation> {
  const invitation = await askAsGuest("invites.get", { code });
  last = { code, invitation };
  return invitation;
}
