// The client with all features registered. It is fetched when a login is likely (engine/session.ts).

import "./features";
import { keepWords } from "../features/comments/keepWords";
import { realClock } from "../engine/clock";
import { store } from "../engine/store";
import { local } from "../storage";
import { fetchUntilLoaded } from "./retry";

export { client } from "../engine/client";

// Before the first posts are drawn, because a box with an unsent comment is higher than an empty one.
keepWords(store, realClock, local);

void fetchUntilLoaded(() => import("./offline/begin"))();
