// Connects the client with what this browser keeps (kept.ts), which is fetched when it is needed.

import type { Client } from "../../engine/client";
import { lazyPart } from "../../ui/lazyPart";
import type { Kept } from "./kept";
import { askedBefore } from "./askedBefore";
import { flagUnsent, mayHaveUnsent } from "./flag";

/** How long the first screen has the connection for itself. */
const REST_MS = 3_000;

export const keptFile = lazyPart(() => import("./kept").then(({ makeKept }) => makeKept()));

/** What this browser keeps. Throws when its file could not be fetched. */
export const kept = (): Promise<Kept> => keptFile.fetch();

export function startKeeping(client: Client): void {
  const later = (work: (kept: Kept) => unknown): void =>
    void kept()
      .then(work)
      .catch(() => undefined);
  let last: Client["state"]["session"] = client.state.session;
  client.keeper = {
    asked(op, fields) {
      const userId = client.state.session.me?.id;
      if (userId !== undefined && !op.startsWith("auth.")) {
        flagUnsent(userId, true);
        later((kept) => kept.asked(userId, op, fields));
      }
      return askedBefore.get((fields as { key: object }).key) ?? null;
    },
    answered(op, fields, refused, late) {
      const userId = client.state.session.me?.id;
      if (userId !== undefined) later((kept) => kept.answered(userId, op, fields, refused, late));
    },
    unreachable: () => later((kept) => kept.open()),
  };
  client.watch((state) => {
    const { session } = state;
    if (session === last) return;
    const before = last;
    last = session;
    const me = session.me?.id ?? null;
    if (before.me !== null && before.me.id !== me) {
      const gone = before.me.id;
      later((kept) => kept.forget(gone));
    }
    const isOver = session.phase === "guest" || session.phase === "ended";
    if (isOver && before.phase !== session.phase) later((kept) => kept.forgetFeeds());
    if (session.phase !== "signed-in" || me === null) return;
    if (before.phase === "signed-in" && before.me?.id === me) return;
    if (mayHaveUnsent(me)) later((kept) => kept.known(me));
    else setTimeout(() => later((kept) => client.state.session.me?.id === me && kept.known(me)), REST_MS);
  });
}
