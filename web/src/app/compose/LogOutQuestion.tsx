// Logging out while a draft from another time is kept in this browser: it is asked about, once.

import { browserStorage } from "../../features/drafts/draft";
import { NotPosted } from "../../features/drafts/NotPosted";
import { forgetDraft } from "../../features/drafts/keeper";
import { seatName, tellDropped } from "../../features/drafts/seat";
import { browserShelf } from "../../features/drafts/shelf";

export function LogOutQuestion({ userId, onLogOut, onStay }: { userId: number; onLogOut(): void; onStay(): void }) {
  return (
    <NotPosted
      open
      logsOut
      onDiscard={() => {
        // A tab that is writing it right now must not bring it back.
        tellDropped(new BroadcastChannel(seatName(userId)));
        forgetDraft({ userId, storage: browserStorage, shelf: browserShelf });
        onLogOut();
      }}
      onStay={onStay}
      onSave={onLogOut}
    />
  );
}
