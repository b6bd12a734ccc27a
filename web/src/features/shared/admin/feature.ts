// Counts the changes of what an admin's page shows. The page itself is loaded when it is opened.

import { defineFeature } from "../../../engine/feature";

declare module "../../../engine/state" {
  interface State {
    /** The number of the last change; an open page reads again when it changes. */
    adminAt: number;
  }
}

export const admin = defineFeature({
  initial: () => ({ adminAt: 0 }),
  on: { "admin.changed": (state, event) => ({ ...state, adminAt: event.seq }) },
});
