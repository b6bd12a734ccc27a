// A member's way out of a group.
//
// Promise: a line that is away locks nobody in: the dialog can be closed, what was asked goes on.

import { useState } from "react";
import { says } from "../../store/says";
import type { Id } from "../../store/state";
import { Button } from "../../ui/Button";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { announce } from "../../ui/announce";
import { useUnderway } from "./Underway";
import { leaveGroup } from "./slice";

export function LeaveGroup({ groupId, name }: { groupId: Id; name: string }) {
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const [note, setNote] = useState<string | undefined>();
  const underway = useUnderway(busy);

  const leave = async () => {
    setBusy(true);
    setNote(undefined);
    try {
      await leaveGroup(groupId);
      announce(`You left ${name}.`);
      setAsking(false);
    } catch (error) {
      setNote(says(error, "That didn't go through. You are still in this group. Please try again."));
    }
    setBusy(false);
  };

  return (
    <>
      <Button
        variant="quiet"
        onClick={() => {
          setNote(undefined);
          setAsking(true);
        }}
      >
        Leave Group
      </Button>
      <ConfirmDialog
        title="Leave Group"
        open={asking}
        confirm="Leave Group"
        danger
        busy={busy}
        goesOn
        note={underway ?? note}
        onConfirm={() => void leave()}
        onClose={() => setAsking(false)}
      >
        You will no longer see what is shared with this group. What you wrote there stays for its members; your own posts can still be
        deleted in your profile.
      </ConfirmDialog>
    </>
  );
}
