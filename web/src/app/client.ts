// The client with all features registered. It is fetched when a login is likely (engine/session.ts).

import "./features";
import { fetchUntilLoaded } from "./retry";

export { client } from "../engine/client";

void fetchUntilLoaded(() => import("./offline/begin"))();
