// Counts the changes of data on the page for admins. The page itself is loaded when it is opened.

import { defineFeature } from "../../../engine/feature";

declare module "../../../engine/state" {
  interface State {
    /** The number of the last change. An open page reads its data again when this changes. */
    adminAt: number;
  }
}

export const admin = defineFeature({
  initial: () => ({ adminAt: 0 }),
  on: { "admin.changed": (state, event) => ({ ...state, adminAt: event.seq }) },
});
