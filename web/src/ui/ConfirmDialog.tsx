import type { ReactNode } from "react";
import { common } from "../text";
import { Button } from "./Button";
import { Dialog } from "./Dialog";
import css from "./Dialog.module.css";

export type ConfirmDialogProps = {
  open: boolean;
  title: string;
  children?: ReactNode;
  /** The label of the button that does it. */
  confirm: string;
  cancel?: string;
  /** A third answer, such as deleting a draft; it is before the others. */
  third?: { label: string; danger?: boolean; onPress: () => void };
  danger?: boolean;
  busy?: boolean;
  /** What was begun goes on without the dialog: no and Escape close it also meanwhile. */
  goesOn?: boolean;
  /** A quiet word below the question, such as why it takes a while. */
  note?: string | undefined;
  onConfirm: () => void;
  onClose: () => void;
};

/**
 * A question before something happens. Escape means no, and where the answer yes destroys
 * something, no is what the Enter key finds first.
 */
export function ConfirmDialog({
  open,
  title,
  children,
  confirm,
  cancel = common.cancel,
  third,
  danger = false,
  busy = false,
  goesOn = false,
  note,
  onConfirm,
  onClose,
}: ConfirmDialogProps) {
  const held = busy && !goesOn;
  return (
    <Dialog
      open={open}
      title={title}
      role="alertdialog"
      onClose={held ? () => undefined : onClose}
      actions={
        <>
          {third !== undefined && (
            <Button
              variant={third.danger === true ? "danger" : "quiet"}
              disabled={busy}
              onClick={third.onPress}
            >
              {third.label}
            </Button>
          )}
          <Button variant="quiet" data-autofocus={danger || undefined} disabled={held} onClick={onClose}>
            {cancel}
          </Button>
          <Button
            variant={danger ? "danger" : "primary"}
            data-autofocus={danger ? undefined : true}
            busy={busy}
            onClick={onConfirm}
          >
            {confirm}
          </Button>
        </>
      }
    >
      {children}
      {note !== undefined && <p className={css.note}>{note}</p>}
    </Dialog>
  );
}
