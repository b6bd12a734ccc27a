// Counts the events that say only that something has changed. Whatever shows it reads it again.

import { defineFeature } from "../../../engine/feature";
import type { State } from "../../../engine/state";

declare module "../../../engine/state" {
  interface State {
    /**
     * The number of the last such event: of the page for admins, the notices, or the passkeys. They share it, because
     * these events are rare and a read too many is harmless.
     */
    changedAt: number;
  }
}

const changed = (state: State, { seq }: { seq: number }): State => ({ ...state, changedAt: seq });

export const changes = defineFeature({
  initial: () => ({ changedAt: 0 }),
  on: { "admin.changed": changed, "notices.changed": changed, "passkeys.changed": changed },
});
