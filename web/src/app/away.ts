// The socket of a tab whose person stepped away (D-U6).
//
// Promises: no socket is open on `/away`. When the page is left, the tab catches up as after a lost connection, and
// requests that were not answered are sent again.

import type { Client } from "../engine/client";
import { isAway } from "./paths";

/** Closes the socket whenever the page is `/away`, and opens it again afterwards. */
export function restWhenAway(client: Pick<Client, "rest" | "socket" | "state">): void {
  let rests = false;
  const look = (): void => {
    if (rests === isAway()) return;
    rests = !rests;
    if (rests) client.rest();
    else if (client.state.session.phase !== "guest") client.socket.start();
  };
  // The router sends the first two of these events.
  for (const kind of ["pushState", "replaceState", "popstate"]) addEventListener(kind, look);
  look();
}
