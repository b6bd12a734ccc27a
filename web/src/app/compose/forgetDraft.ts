import { local } from "../../storage";
import { readDraft } from "../../features/drafts/draft";
import { forgetDraft } from "../../features/drafts/draftSaver";
import { announceDropped, announceSent, channelOf } from "../../features/drafts/draftLock";
import { browserPictureStore } from "../../features/drafts/pictureStore";

/** Deletes a person's draft, also in tabs of this browser that have it open. */
export function forgetDraftOf(userId: number): void {
  announceDropped(channelOf(userId));
  forgetDraft({ userId, storage: local, pictureStore: browserPictureStore });
}

/** Deletes the draft of a post that is sent again, also in tabs of this browser that have restored it. */
export function forgetSentDraft(userId: number, key: string): void {
  if (readDraft(local, userId)?.asked?.key !== key) return;
  announceSent(channelOf(userId), key);
  forgetDraft({ userId, storage: local, pictureStore: browserPictureStore });
}
