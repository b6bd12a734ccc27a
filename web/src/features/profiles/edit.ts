// The edit of the viewer's own profile.
//
// Promises: typed text stays until it is saved or cancelled, even if the page is left, the connection is lost
// or the login ends. An untouched field follows the profile, so it never overwrites a change of another
// device. The same text has the same key.

import { ask } from "../../engine/client";
import { loadProfile } from "../shared/people/profiles";
import type { ProfileEdit } from "./state";
import type { ProfileEntry } from "../shared/people/profiles";
import type { State } from "../../engine/state";
import { store, update } from "../../engine/store";
import { tidyLine, tidyText } from "../shared/text";
import type { Color } from "../../engine/types.gen";
import type { RequestKey } from "../../engine/keys";

export const NAME_CHARS_MAX = 50;
export const BIO_CHARS_MAX = 300;

export type Edited = { name: string; bio: string; from: Color; to: Color };

const untouched: ProfileEdit = { name: null, bio: null, from: null, to: null };

export function beginEdit(): void {
  update((s) => (s.profileEdit === null ? { ...s, profileEdit: untouched } : s));
}

export function writeEdit(words: Partial<Edited>): void {
  update((s) => (s.profileEdit === null ? s : { ...s, profileEdit: { ...s.profileEdit, ...words } }));
}

export function endEdit(): void {
  update(ended);
}

const ended = (state: State): State => ({ ...state, profileEdit: null });

/** Returns the values of the fields. An untouched field has the value of the profile. */
export function fieldsOf(edit: ProfileEdit | null, profile: ProfileEntry): Edited {
  return {
    name: edit?.name ?? profile.name,
    bio: edit?.bio ?? profile.bio,
    from: edit?.from ?? profile.from_color,
    to: edit?.to ?? profile.to_color,
  };
}

/** Returns whether the fields have values that would be lost with the page. */
export function isUnsaved(edit: ProfileEdit | null, profile: ProfileEntry): boolean {
  const { name, bio, from, to } = fieldsOf(edit, profile);
  const same =
    tidyLine(name) === profile.name &&
    tidyText(bio) === profile.bio &&
    from === profile.from_color &&
    to === profile.to_color;
  return edit !== null && !same;
}

/** Saves the fields and ends the edit. Throws if the server refuses; then the fields stay as they were. */
export async function saveEdit(userId: number, key: RequestKey): Promise<void> {
  const { profiles, profileEdit } = store.getState();
  const profile = profiles[userId];
  if (profile === undefined) return;
  const { name, bio, from, to } = fieldsOf(profileEdit, profile);
  const fields = { name: tidyLine(name), bio: tidyText(bio), from_color: from, to_color: to };
  const ok = await ask("profiles.update", { key: key.for(fields), ...fields });
  update((s) => ended(loadProfile(s, ok.profile, ok.seq)));
}
