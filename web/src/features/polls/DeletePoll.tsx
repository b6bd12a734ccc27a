// The dialog in which the creator deletes a poll.
//
// Promise: without a connection the dialog can still be closed, and the request goes on.

import { useState } from "react";
import type { Id } from "../../engine/state";
import { useSendingNote } from "../shared/sending";
import { Button } from "../../ui/Button";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { toast } from "../../ui/toast";
import { deletePoll } from "./api";

export function DeletePoll({ pollId }: { pollId: Id }) {
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const note = useSendingNote(busy);

  const remove = async () => {
    setBusy(true);
    try {
      await deletePoll(pollId);
      toast("Poll deleted successfully");
    } catch {
      toast("Error deleting poll. Please try again.", { error: true });
    }
    setBusy(false);
    setAsking(false);
  };

  return (
    <>
      <Button variant="plain" small onClick={() => setAsking(true)}>
        Delete
      </Button>
      <ConfirmDialog
        title="Delete Poll"
        open={asking}
        confirm="Delete"
        danger
        busy={busy}
        goesOn
        note={note}
        onConfirm={() => void remove()}
        onClose={() => setAsking(false)}
      >
        This poll and its votes will be gone for everyone. This cannot be undone.
      </ConfirmDialog>
    </>
  );
}
