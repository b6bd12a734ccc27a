// A button that deletes the viewer's post or poll, after a question.
//
// Promise: without a connection the dialog can be closed, and the request is still sent later.

import type { ReactNode } from "react";
import { useState } from "react";
import { refusalText } from "../../engine/refusalText";
import type { ButtonKind } from "../../ui/Button";
import { Button } from "../../ui/Button";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { toast } from "../../ui/toast";
import { useSendingNote } from "./sending";

type DeleteButtonProps = {
  variant: ButtonKind;
  small?: boolean;
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

export function DeleteButton({
  variant,
  small = false,
  title,
  done,
  failed,
  onDelete,
  children,
}: DeleteButtonProps) {
  const [asking, setAsking] = useState(false);
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
    setAsking(false);
  };

  return (
    <>
      <Button variant={variant} small={small} onClick={() => setAsking(true)}>
        Delete
      </Button>
      <ConfirmDialog
        title={title}
        open={asking}
        confirm="Delete"
        danger
        busy={busy}
        goesOn
        note={note}
        onConfirm={() => void remove()}
        onClose={() => setAsking(false)}
      >
        {children}
      </ConfirmDialog>
    </>
  );
}
