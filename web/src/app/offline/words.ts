// Fetches what keeps half-written comments (features/comments/keepWords.ts) once there is one, here or in this browser.

import type { Client } from "../../engine/client";
import { realClock } from "../../engine/clock";
import { store } from "../../engine/store";
import { lazyPart } from "../../ui/lazyPart";

export const wordsFile = lazyPart(() => import("../../features/comments/keepWords"));

export function startKeepingWords(client: Client): void {
  const stop = client.watch(({ drafts, session }) => {
    if (session.me === null || (Object.keys(drafts).length === 0 && !hasKept())) return;
    stop();
    wordsFile.fetch().then(
      ({ keepWords }) => keepWords(store, realClock, () => localStorage),
      () => startKeepingWords(client),
    );
  });
}

function hasKept(): boolean {
  try {
    return Object.keys(localStorage).some((key) => key.startsWith("mellow.comment."));
  } catch {
    return false;
  }
}
