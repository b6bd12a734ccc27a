// While a component is on screen, what it shows stays in the store and is listened to.

import { useEffect } from "react";
import { client } from "./client";

/** `view:feed:`, `view:author:7`, `post:9`, `profile:7`, or `people:7,8` for names and photos alone. */
export function useOnScreen(what: string): void {
  useEffect(() => client.onScreen(what), [what]);
}
