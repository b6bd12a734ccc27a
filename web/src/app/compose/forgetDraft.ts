import { browserStorage } from "../../features/drafts/draft";
import { forgetDraft } from "../../features/drafts/keeper";
import { seatName, tellDropped } from "../../features/drafts/seat";
import { browserShelf } from "../../features/drafts/shelf";

/** Throws a person's draft away, also the one that a tab of this browser is writing right now. */
export function forgetDraftOf(userId: number): void {
  tellDropped(new BroadcastChannel(seatName(userId)));
  forgetDraft({ userId, storage: browserStorage, shelf: browserShelf });
}
