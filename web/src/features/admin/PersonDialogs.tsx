// The dialogs that ask before an account is suspended or deleted, and the dialog with a link for a new
// password.

import { useEffect, useState } from "react";
import { RefusedError } from "../../engine/ask";
import { ask } from "../../engine/client";
import { newKey } from "../../engine/keys";
import { refusalText } from "../../engine/refusalText";
import type { User } from "../../engine/types.gen";
import { say } from "../../say";
import { common } from "../../text";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Field } from "../../ui/Field";
import { FormActions } from "../../ui/FormActions";
import { InlineError } from "../../ui/InlineError";
import { PasswordField } from "../../ui/PasswordField";
import { toast } from "../../ui/toast";
import { Whom } from "./Marks";
import { copyLink, useAct } from "./live";
import { people as words, words as shared } from "./words";
import css from "./admin.module.css";

type Props = { user: User; onClose(): void };

export function SuspendPerson({ user, onClose }: Props) {
  const { id, name } = user;
  const { busy, act } = useAct();
  const suspend = async (): Promise<void> => {
    const asked = () => ask("admin.suspend", { key: newKey(), user_id: id, suspended: true });
    if (await act(asked, say(words.wasSuspended))) onClose();
  };
  return (
    <Dialog
      open
      title={say(words.suspendWhom, { name })}
      onClose={busy ? () => undefined : onClose}
      actions={
        <>
          <Button variant="quiet" disabled={busy} onClick={onClose} data-autofocus>
            {say(common.cancel)}
          </Button>
          <Button variant="danger" busy={busy} onClick={() => void suspend()}>
            {say(words.suspend)}
          </Button>
        </>
      }
    >
      <div className={css.form}>
        <Whom user={user} />
        <p>{say(words.suspendWhy)}</p>
      </div>
    </Dialog>
  );
}

export function DeletePerson({ user, onClose }: Props) {
  const { id, name } = user;
  const [password, setPassword] = useState("");
  const [busy, setBusy] = useState(false);
  const go = async (): Promise<void> => {
    setBusy(true);
    try {
      await ask("admin.delete", { user_id: id, password });
      toast(say(words.wasDeleted));
      onClose();
    } catch (error) {
      const isWrong = error instanceof RefusedError && error.code === "wrong_password";
      toast(isWrong ? say(shared.wrongPassword) : refusalText(error, say(shared.failed)), { error: true });
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      title={say(words.deleteWhom, { name })}
      onClose={busy ? () => undefined : onClose}
      closeButton={false}
      closeOnBackdrop={false}
    >
      <form noValidate className={css.form} onSubmit={(event) => event.preventDefault()}>
        <Whom user={user} />
        <p>{say(words.deleteWhy)}</p>
        <PasswordField
          label={say(words.password)}
          name="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={({ target }) => setPassword(target.value)}
        />
        <FormActions>
          <Button variant="quiet" disabled={busy} onClick={onClose}>
            {say(common.cancel)}
          </Button>
          <Button variant="danger" busy={busy} disabled={password === ""} onClick={() => void go()}>
            {say(words.delete)}
          </Button>
        </FormActions>
      </form>
    </Dialog>
  );
}

/** The dialog with the link. Opening it makes a new link, which replaces an older one. */
export function ResetLink({ user, onClose }: Props) {
  const { id } = user;
  const [link, setLink] = useState<string | null>(null);
  const [failed, setFailed] = useState(false);
  const [tries, setTries] = useState(0);
  useEffect(() => {
    let isNewest = true;
    ask("admin.reset_link", { user_id: id }).then(
      (made) => isNewest && setLink(made.url),
      () => isNewest && setFailed(true),
    );
    return () => {
      isNewest = false;
    };
  }, [id, tries]);
  const again = (): void => {
    setFailed(false);
    setTries(tries + 1);
  };
  return (
    <Dialog
      open
      title={say(words.resetLink)}
      onClose={onClose}
      actions={
        <>
          <Button variant="quiet" onClick={onClose}>
            {say(common.close)}
          </Button>
          <Button disabled={link === null} onClick={() => void copyLink(link ?? "", say(shared.copied))}>
            {say(shared.copy)}
          </Button>
        </>
      }
    >
      <div className={css.form}>
        <Whom user={user} />
        <p>{say(words.linkWhy)}</p>
        {failed && <InlineError onRetry={again} />}
        <Field label={say(words.linkName)}>
          <input
            type="text"
            readOnly
            dir="ltr"
            value={link ?? ""}
            onFocus={({ target }) => target.select()}
          />
        </Field>
      </div>
    </Dialog>
  );
}
