// Connects the client with what this browser keeps. This file is fetched apart from the client, so that the
// first screen does not wait for it, and it catches up with what happened before it was loaded.

import { client } from "../../engine/client";
import type { Id, State } from "../../engine/state";
import { local } from "../../storage";
import { readDraft } from "../../features/drafts/draft";
import { buildOfPage } from "./build";
import { askedBefore } from "./askedBefore";
import { followLanguage } from "../../features/shared/language/account";
import { followNotices } from "../../features/notices/follow";
import { followTimeHere } from "../../features/timeHere/start";
import { announceDone } from "../announceDone";
import { restWhenAway } from "../away";
import { OfflineData } from "./offlineData";
import { browserDatabase } from "./database";

export const offlineData = new OfflineData(client, browserDatabase);

const keeper: NonNullable<typeof client.keeper> = {
  asked(op, fields) {
    const userId = client.state.session.me?.id;
    if (userId !== undefined) offlineData.asked(userId, op, fields);
    return askedBefore.get((fields as { key: object }).key) ?? null;
  },
  ended(op, fields, refused, late) {
    announceDone(op, refused);
    const userId = client.state.session.me?.id;
    if (userId !== undefined) offlineData.ended(userId, op, fields, refused, late);
  },
  unreachable: () => void offlineData.open(),
};

function follow(session: State["session"], before: State["session"]): void {
  if (session === before) return;
  const me = session.me?.id ?? null;
  if (before.me !== null && before.me.id !== me) void offlineData.forget(before.me.id);
  const isOver = session.phase === "guest" || session.phase === "ended";
  if (isOver && before.phase !== session.phase) void offlineData.forgetFeeds();
  const isNew = before.phase !== "signed-in" || before.me?.id !== me;
  if (session.phase !== "signed-in" || me === null || !isNew) return;
  void offlineData.known(me);
  goOnPosting(me);
}

/** Sends a post with pictures that an earlier page shared and that is kept as a draft. */
function goOnPosting(userId: Id): void {
  const sharedAtMs = readDraft(local, userId)?.sharedAtMs ?? null;
  if (sharedAtMs === null) return;
  import("../screens/CreatePostScreen").then(
    ({ goOn }) => goOn(userId),
    // The draft stays, and the next load of the page tries again.
    () => undefined,
  );
}

const { session, connection } = client.state;
for (const { op, fields } of client.asker.unanswered) keeper.asked(op, fields);
client.keeper = keeper;
followLanguage();
followTimeHere();
followNotices();
restWhenAway(client);
client.watch((state, before) => follow(state.session, before.session));
follow(session, { phase: "unknown", me: null });
if (session.phase === "unknown" && session.me === null && connection.state === "offline")
  keeper.unreachable();

const pageBuild = buildOfPage();
let isOffered = false;
const compareBuilds = ({ build }: State): void => {
  if (isOffered || build === null || pageBuild === null || build === pageBuild) return;
  isOffered = true;
  import("./NewVersion").then(
    ({ offerVersion }) => offerVersion(),
    () => {
      isOffered = false;
    },
  );
};
client.watch(compareBuilds);
compareBuilds(client.state);
