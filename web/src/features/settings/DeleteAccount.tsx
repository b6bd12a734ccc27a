// The dialog that deletes the account. It says what is deleted and what stays, and offers the export. It
// needs the password and a press on the button; the Enter key does not delete.

import { useRef, useState } from "react";
import { RefusedError, deleteAccount, useBackups } from "../../engine/session";
import { say } from "../../say";
import { common } from "../../text";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { PasswordField } from "../../ui/PasswordField";
import { toast } from "../../ui/toast";
import { ExportButton } from "./ExportButton";
import { deletion, email } from "./words";
import css from "./settings.module.css";

type Props = { own: string; onClose(): void };

export function DeleteAccount({ open, own, onClose }: Props & { open: boolean }) {
  const [busy, setBusy] = useState(false);
  // A deletion that has begun cannot be cancelled.
  const close = busy ? (): void => undefined : onClose;
  return (
    <Dialog
      open={open}
      title={say(deletion.open)}
      onClose={close}
      closeButton={false}
      closeOnBackdrop={false}
    >
      <Question own={own} busy={busy} onBusy={setBusy} onClose={close} />
    </Dialog>
  );
}

function Question({ own, busy, onBusy, onClose }: Props & { busy: boolean; onBusy(busy: boolean): void }) {
  const backups = useBackups();
  const [password, setPassword] = useState("");
  const box = useRef<HTMLInputElement>(null);

  const go = async (): Promise<void> => {
    onBusy(true);
    try {
      await deleteAccount(password);
      toast(say(deletion.done));
    } catch (error) {
      const { code, message } = error instanceof RefusedError ? error : { code: "", message: "" };
      if (code === "wrong_password") toast(say(email.wrongPassword), { error: true });
      else toast(code === "slow_down" ? message : say(deletion.failed), { error: true });
      box.current?.focus();
    }
    onBusy(false);
  };

  return (
    <form noValidate className={css.form} onSubmit={(event) => event.preventDefault()}>
      {/* The first focus is here, not on a field, so that the text is read first, also on a small screen. */}
      <div className={css.list} tabIndex={-1} data-autofocus data-quiet>
        <p>{say(deletion.goes)}</p>
        <ul>
          {deletion.gone.map((words) => (
            <li key={words}>{say(words)}</li>
          ))}
        </ul>
        <p>{say(deletion.stays)}</p>
        <ul>
          {deletion.left(backups).map((words) => (
            <li key={words}>{words}</li>
          ))}
        </ul>
      </div>
      <p>{say(deletion.noWay)}</p>
      <ExportButton disabled={busy} />
      {/* Tells password managers which password to offer. */}
      <input type="email" name="username" autoComplete="username" value={own} readOnly hidden />
      <PasswordField
        ref={box}
        label={say(email.password)}
        name="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      <div className={css.row}>
        <Button variant="quiet" disabled={busy} onClick={onClose}>
          {say(common.cancel)}
        </Button>
        <Button variant="danger" busy={busy} disabled={password === ""} onClick={() => void go()}>
          {say(deletion.open)}
        </Button>
      </div>
    </form>
  );
}
