// The dialog before a page with unposted text is left: save it, discard it, or stay.

import { useState } from "react";
import { say } from "../../say";
import { ConfirmDialog } from "../../ui/ConfirmDialog";

export type NotPostedProps = {
  open: boolean;
  /** The user is logging out, so a saved draft waits for the next log-in. */
  logsOut: boolean;
  onDiscard(): void;
  onStay(): void;
  onSave(): Promise<void> | void;
};

export function NotPosted({ open, logsOut, onDiscard, onStay, onSave }: NotPostedProps) {
  const [busy, setBusy] = useState(false);
  const save = async (): Promise<void> => {
    setBusy(true);
    await onSave();
    setBusy(false);
  };
  return (
    <ConfirmDialog
      title={say("Not Posted")}
      open={open}
      third={{ label: say("Discard"), danger: true, onPress: onDiscard }}
      confirm={say("Save")}
      busy={busy}
      onConfirm={() => void save()}
      onClose={onStay}
    >
      {logsOut
        ? say(
            "What you wrote hasn't been shared. Save it, and it waits in this browser until you log in again. Nobody else sees it.",
          )
        : say("What you wrote hasn't been shared. Save it, and it's here when you come back.")}
    </ConfirmDialog>
  );
}
