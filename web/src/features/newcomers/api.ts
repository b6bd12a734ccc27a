// Dismisses what is shown to a new user.

import { ask } from "../../engine/client";
import { newKey } from "../../engine/keys";
import { update } from "../../engine/store";
import type { What } from "../../engine/types.gen";
import { catchFocus } from "../../ui/focus";

/** Dismisses one of them for good, on every device. Throws a RefusedError. */
export async function dismiss(what: What): Promise<void> {
  await ask("newcomers.dismiss", { key: newKey(), what });
  update((s) => {
    const { me } = s.session;
    if (me === null) return s;
    const without = what === "steps" ? { first_steps: null } : { inviter: null };
    return { ...s, session: { ...s.session, me: { ...me, ...without } } };
  });
  // The button has disappeared with what it dismissed, so the page gets the focus.
  catchFocus(() => document.querySelector<HTMLElement>("main"));
}
