// The question before a passkey is removed. It needs the password, or the use of any passkey; the Enter key removes
// nothing.

import { useEffect, useRef, useState } from "react";
import { newKey } from "../../engine/keys";
import { useSession } from "../../engine/session";
import type { Passkey } from "../../engine/types.gen";
import { say } from "../../say";
import { common } from "../../text";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Form } from "../../ui/Form";
import { FormActions } from "../../ui/FormActions";
import { PasswordField } from "../../ui/PasswordField";
import { toast } from "../../ui/toast";
import { isStopped } from "../shared/passkeys/ceremony";
import { SendingNote } from "../shared/sending";
import { isWrongPassword, refusedText, removeByPasskey, removeByPassword } from "./api";
import { words } from "./words";
import css from "./passkeys.module.css";

/** `canUse`: a passkey can be used on this page. */
type Props = { canUse: boolean; onRemoved(): void; onClose(): void };

export function RemovePasskey({ passkey, ...props }: Props & { passkey: Passkey | null }) {
  return (
    <Dialog
      open={passkey !== null}
      title={say(words.removeOne, { name: passkey?.name ?? "" })}
      role="alertdialog"
      onClose={props.onClose}
      closeOnBackdrop={false}
    >
      {passkey !== null && <Question passkey={passkey} {...props} />}
    </Dialog>
  );
}

function Question({ passkey, canUse, onRemoved, onClose }: Props & { passkey: Passkey }) {
  const { me } = useSession();
  const [password, setPassword] = useState("");
  const [busy, setBusy] = useState<"no" | "password" | "passkey">("no");
  // A second press after a lost reply is the same request.
  const [key] = useState(newKey);
  const box = useRef<HTMLInputElement>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  const remove = async (by: "password" | "passkey"): Promise<void> => {
    running.current = new AbortController();
    const { signal } = running.current;
    setBusy(by);
    try {
      if (by === "password") await removeByPassword(passkey, key, password);
      else await removeByPasskey(passkey, key, signal);
      toast(say(words.isRemoved));
      // It may be closed by now, and open again for another passkey.
      if (!signal.aborted) onRemoved();
    } catch (error) {
      if (signal.aborted) return;
      setBusy("no");
      if (isWrongPassword(error)) toast(say(words.wrongPassword), { error: true });
      else if (!isStopped(error)) toast(refusedText(error), { error: true });
      box.current?.focus();
    }
  };

  return (
    <Form className={css.form} onSend={NOTHING}>
      {/* Tells password managers which password to offer. */}
      <input type="email" name="username" autoComplete="username" value={me?.email ?? ""} readOnly hidden />
      <PasswordField
        ref={box}
        label={say(words.password)}
        name="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      <SendingNote busy={busy === "password"} still />
      <FormActions>
        <Button variant="quiet" onClick={onClose}>
          {say(common.cancel)}
        </Button>
        {canUse && (
          <Button
            variant="quiet"
            busy={busy === "passkey"}
            disabled={busy !== "no"}
            onClick={() => void remove("passkey")}
          >
            {say(words.use)}
          </Button>
        )}
        <Button
          variant="danger"
          busy={busy === "password"}
          disabled={busy !== "no" || password === ""}
          onClick={() => void remove("password")}
        >
          {say(words.remove)}
        </Button>
      </FormActions>
    </Form>
  );
}

const NOTHING = (): void => undefined;
