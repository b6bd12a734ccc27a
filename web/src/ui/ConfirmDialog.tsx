import type { ReactNode } from "react";
import { common } from "../text";
import { Button } from "./Button";
import { Dialog } from "./Dialog";

export type ConfirmDialogProps = {
  open: boolean;
  title: string;
  children?: ReactNode;
  /** The label of the button that does it. */
  confirm: string;
  cancel?: string;
  /** A third answer, such as throwing a draft away; it stands before the others. */
  third?: { label: string; danger?: boolean; onPress: () => void };
  danger?: boolean;
  busy?: boolean;
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
  onConfirm,
  onClose,
}: ConfirmDialogProps) {
  return (
    <Dialog
      open={open}
      title={title}
      role="alertdialog"
      onClose={busy ? () => undefined : onClose}
      actions={
        <>
          {third !== undefined && (
            <Button variant={third.danger === true ? "danger" : "quiet"} disabled={busy} onClick={third.onPress}>
              {third.label}
            </Button>
          )}
          <Button variant="quiet" data-autofocus={danger || undefined} disabled={busy} onClick={onClose}>
            {cancel}
          </Button>
          <Button variant={danger ? "danger" : "primary"} data-autofocus={danger ? undefined : true} busy={busy} onClick={onConfirm}>
            {confirm}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}
