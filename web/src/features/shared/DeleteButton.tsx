// The question before the viewer's post or poll is deleted, and a button that asks it.
//
// Promise: without a connection the dialog can be closed, and the request is still sent later.

import type { ReactNode } from "react";
import { useState } from "react";
import { say } from "../../say";
import { refusalText } from "../../engine/refusalText";
import type { ButtonKind } from "../../ui/Button";
import { Button } from "../../ui/Button";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { toast } from "../../ui/toast";
import { useSendingNote } from "./sending";

export type Deletion = {
  /** The title of the question. */
  title: string;
  /** The toasts after success and after a refusal. */
  done: string;
  failed: string;
  /** Sends the request; throws if the server refuses. */
  onDelete(): Promise<void>;
  /** The text that says what will be deleted. */
  children: ReactNode;
};

export function DeleteQuestion({
  open,
  title,
  done,
  failed,
  onDelete,
  onClose,
  children,
}: Deletion & { open: boolean; onClose(): void }) {
  const [busy, setBusy] = useState(false);
  const note = useSendingNote(busy);

  const remove = async () => {
    setBusy(true);
    try {
      await onDelete();
      toast(done);
    } catch (error) {
      toast(refusalText(error, failed), { error: true });
    }
    setBusy(false);
    onClose();
  };

  return (
    <ConfirmDialog
      title={title}
      open={open}
      confirm={say("Delete")}
      danger
      busy={busy}
      goesOn
      note={note}
      onConfirm={() => void remove()}
      onClose={onClose}
    >
      {children}
    </ConfirmDialog>
  );
}

export function DeleteButton({
  variant,
  small = false,
  ...deletion
}: Deletion & { variant: ButtonKind; small?: boolean }) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button variant={variant} small={small} onClick={() => setAsking(true)}>
        {say("Delete")}
      </Button>
      <DeleteQuestion {...deletion} open={asking} onClose={() => setAsking(false)} />
    </>
  );
}
