// The dialog in which a member leaves a group.
//
// Promise: without a connection the dialog can be closed, and the request is still sent later.

import { useState } from "react";
import { refusalText } from "../../engine/refusalText";
import type { Id } from "../../engine/state";
import { say } from "../../say";
import { Button } from "../../ui/Button";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { announce } from "../../ui/announce";
import { useSendingNote } from "../shared/sending";
import { leaveGroup } from "./api";

export function LeaveGroup({ groupId, name }: { groupId: Id; name: string }) {
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const [note, setNote] = useState<string | undefined>();
  const sendingNote = useSendingNote(busy);

  const leave = async () => {
    setBusy(true);
    setNote(undefined);
    try {
      await leaveGroup(groupId);
      announce(say("You left {group}.", { group: name }));
      setAsking(false);
    } catch (error) {
      setNote(
        refusalText(error, say("That didn't go through. You are still in this group. Please try again.")),
      );
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
        {say("Leave Group")}
      </Button>
      <ConfirmDialog
        title={say("Leave Group")}
        open={asking}
        confirm={say("Leave Group")}
        danger
        busy={busy}
        goesOn
        note={sendingNote}
        error={note}
        onConfirm={() => void leave()}
        onClose={() => setAsking(false)}
      >
        {say(
          "You will no longer see what is shared with this group. What you wrote there stays for its members; your own posts can still be deleted in your profile.",
        )}
      </ConfirmDialog>
    </>
  );
}
