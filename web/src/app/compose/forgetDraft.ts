import { browserStorage, readDraft } from "../../features/drafts/draft";
import { forgetDraft } from "../../features/drafts/draftSaver";
import { announceDropped, announceSent, draftLockName } from "../../features/drafts/draftLock";
import { browserPictureStore } from "../../features/drafts/pictureStore";

/** Deletes a person's draft, also in tabs of this browser that have it open. */
export function forgetDraftOf(userId: number): void {
  announceDropped(new BroadcastChannel(draftLockName(userId)));
  forgetDraft({ userId, storage: browserStorage, pictureStore: browserPictureStore });
}

/** Deletes the draft of a post that is sent again, also in tabs of this browser that have restored it. */
export function forgetSentDraft(userId: number, key: string): void {
  if (readDraft(browserStorage, userId)?.asked?.key !== key) return;
  announceSent(new BroadcastChannel(draftLockName(userId)), key);
  forgetDraft({ userId, storage: browserStorage, pictureStore: browserPictureStore });
}
