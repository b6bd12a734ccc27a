// The common part of the dialogs that add people to groups: checkboxes, a note, Cancel and Add.

import type { ReactNode } from "react";
import { say } from "../../say";
import { common } from "../../text";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { quiet } from "../../ui/card";
import { Note } from "../../ui/Note";
import { SendingNote } from "../shared/sending";
import { words } from "./words";
import css from "./groups.module.css";

type AddDialogProps = {
  /** Whether something is picked. */
  isPicked: boolean;
  canAdd: boolean;
  busy: boolean;
  /** Why the last press on Add did not add everything. */
  note: string | null;
  onAdd(): void;
  onClose(): void;
  children: ReactNode;
};

export function AddDialog({ isPicked, canAdd, busy, note, onAdd, onClose, children }: AddDialogProps) {
  return (
    <Dialog
      open
      title={say(words.add)}
      closeOnBackdrop={!isPicked}
      onClose={onClose}
      actions={
        <>
          {/* The choices load later, and a focused field would open a phone's keyboard. */}
          <Button variant="quiet" data-autofocus onClick={onClose}>
            {say(common.cancel)}
          </Button>
          <Button busy={busy} disabled={!canAdd} onClick={onAdd}>
            {say("Add")}
          </Button>
        </>
      }
    >
      <div className={css.choices}>
        {children}
        <Note text={note} className={quiet} />
        <SendingNote busy={busy} still />
      </div>
    </Dialog>
  );
}
