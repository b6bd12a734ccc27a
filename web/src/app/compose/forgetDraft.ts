import { browserStorage } from "../../features/drafts/draft";
import { forgetDraft } from "../../features/drafts/draftSaver";
import { draftLockName, announceDropped } from "../../features/drafts/draftLock";
import { browserPictureStore } from "../../features/drafts/pictureStore";

/** Throws a person's draft away, also the one that a tab of this browser is writing right now. */
export function forgetDraftOf(userId: number): void {
  announceDropped(new BroadcastChannel(draftLockName(userId)));
  forgetDraft({ userId, storage: browserStorage, pictureStore: browserPictureStore });
}
