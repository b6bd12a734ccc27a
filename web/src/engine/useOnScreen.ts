// Keeps the data of a component in the store, and the connection subscribed to it, while the component is on
// screen.

import { useEffect } from "react";
import { client } from "./client";

/** `view:` and the name of a list of posts, `post:9`, `profile:7`, or `people:7,8` for only names and photos. */
export function useOnScreen(what: string): void {
  useEffect(() => client.onScreen(what), [what]);
}
