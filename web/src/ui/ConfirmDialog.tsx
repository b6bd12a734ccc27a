import { useEffect, useEffectEvent } from "react";
import type { ReactNode } from "react";
import { say } from "../say";
import { common } from "../text";
import { Button } from "./Button";
import { Note } from "./Note";
import { Dialog } from "./Dialog";
import css from "./Dialog.module.css";
import { toast } from "./toast";

export type ConfirmDialogProps = {
  open: boolean;
  title: string;
  children?: ReactNode;
  /** The label of the button that confirms. */
  confirm: string;
  /** A third button, such as for deleting a draft. It comes before the others. */
  third?: { label: string; danger?: boolean; onPress: () => void };
  danger?: boolean;
  busy?: boolean;
  /** The confirmed action does not need the dialog, so Cancel and Escape close it while `busy` too. */
  goesOn?: boolean;
  /** A note below the question, such as why it takes long. */
  note?: string | undefined;
  /** What did not work. It is a toast if the dialog was closed meanwhile. */
  error?: string | undefined;
  onConfirm: () => void;
  onClose: () => void;
};

/**
 * Asks before something happens. Escape cancels. If confirming deletes something (`danger`), Cancel has the
 * first focus, so that Enter cancels too.
 */
export function ConfirmDialog({
  open,
  title,
  children,
  confirm,
  third,
  danger = false,
  busy = false,
  goesOn = false,
  note,
  error,
  onConfirm,
  onClose,
}: ConfirmDialogProps) {
  const held = busy && !goesOn;
  const tell = useEffectEvent(() => {
    if (!open && error !== undefined) toast(error, { error: true });
  });
  useEffect(() => tell(), [error]);
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
            {say(common.cancel)}
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
      <div>{children}</div>
      {note !== undefined && <p className={css.note}>{note}</p>}
      <Note text={error} className={css.note} />
    </Dialog>
  );
}
