// The client with all features registered. It is fetched when a login is likely (engine/session.ts).

import "./features";
import { client } from "../engine/client";
import { startKeeping } from "./offline/start";
import { startKeepingWords } from "./offline/words";

startKeepingWords(client);
startKeeping(client);

export { client };
