// The frame of the dialogs that add people to groups: checkboxes, a note, Cancel and Add.

import type { ReactNode } from "react";
import { common } from "../../text";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { quiet } from "../../ui/card";
import { SendingNote } from "../shared/sending";
import { words } from "./words";
import css from "./groups.module.css";

type AddDialogProps = {
  /** Something is picked. */
  isPicked: boolean;
  canAdd: boolean;
  busy: boolean;
  /** Why the last press did not add everything. */
  note: string | null;
  onAdd(): void;
  onClose(): void;
  children: ReactNode;
};

export function AddDialog({ isPicked, canAdd, busy, note, onAdd, onClose, children }: AddDialogProps) {
  return (
    <Dialog
      open
      title={words.add}
      closeOnBackdrop={!isPicked}
      onClose={onClose}
      actions={
        <>
          {/* What there is to pick comes later, and no keyboard should open by itself. */}
          <Button variant="quiet" data-autofocus onClick={onClose}>
            {common.cancel}
          </Button>
          <Button busy={busy} disabled={!canAdd} onClick={onAdd}>
            Add
          </Button>
        </>
      }
    >
      <div className={css.choices}>
        {children}
        {note !== null && (
          <p role="alert" className={quiet}>
            {note}
          </p>
        )}
        <SendingNote busy={busy} still />
      </div>
    </Dialog>
  );
}
