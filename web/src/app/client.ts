// The client with all features registered. It is fetched when a login is likely (engine/session.ts).

import "./features";

export { client } from "../engine/client";
