import { browserStorage, readDraft } from "../../features/drafts/draft";
import { forgetDraft } from "../../features/drafts/draftSaver";
import { announceDropped, announceSent, draftLockName } from "../../features/drafts/draftLock";
import { browserPictureStore } from "../../features/drafts/pictureStore";

/** Throws a person's draft away, also the one that a tab of this browser is writing right now. */
export function forgetDraftOf(userId: number): void {
  announceDropped(new BroadcastChannel(draftLockName(userId)));
  forgetDraft({ userId, storage: browserStorage, pictureStore: browserPictureStore });
}

/** Forgets the draft of a post that is sent again, also where a tab of this browser has just restored it. */
export function forgetSentDraft(userId: number, key: string): void {
  if (readDraft(browserStorage, userId)?.asked?.key !== key) return;
  announceSent(new BroadcastChannel(draftLockName(userId)), key);
  forgetDraft({ userId, storage: browserStorage, pictureStore: browserPictureStore });
}
