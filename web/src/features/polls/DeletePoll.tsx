// The creator's way to take a poll away.
//
// Promise: a line that is away locks nobody in: the dialog can be closed, what was asked goes on.

import { useState } from "react";
import { useSlow } from "../../store/slow";
import type { Id } from "../../store/state";
import { useStore } from "../../store/store";
import { Button } from "../../ui/Button";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { toast } from "../../ui/toast";
import { deletePoll } from "./slice";

export function DeletePoll({ pollId }: { pollId: Id }) {
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const slow = useSlow(busy);
  const offline = useStore((s) => s.connection.state === "offline");

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
        note={slow ? (offline ? "Saved. It will go out when you're back online." : "Sending") : undefined}
        onConfirm={() => void remove()}
        onClose={() => setAsking(false)}
      >
        This poll and its votes will be gone for everyone. This cannot be undone.
      </ConfirmDialog>
    </>
  );
}
