// The dialog that makes a passkey on this device. It needs the password; then the browser asks the person. Closing the
// dialog ends the browser's question.

import { useEffect, useRef, useState } from "react";
import { useSession } from "../../engine/session";
import { say } from "../../say";
import { common } from "../../text";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Form } from "../../ui/Form";
import { FormActions } from "../../ui/FormActions";
import { Note } from "../../ui/Note";
import { PasswordField } from "../../ui/PasswordField";
import { toast } from "../../ui/toast";
import { NameField } from "../shared/NameField";
import { isThereAlready } from "../shared/passkeys/ceremony";
import { tidyLine } from "../shared/text";
import { addPasskey, isAboutName, isName, isWrongPassword, refusedText } from "./api";
import { NAME_CHARS_MAX, words } from "./words";
import css from "./passkeys.module.css";

/** `device`: the name of this device, which the field has at first. */
type Props = { device: string; onAdded(): Promise<void>; onClose(): void };

export function AddPasskey({ open, ...props }: Props & { open: boolean }) {
  return (
    <Dialog
      open={open}
      title={say(words.add)}
      onClose={props.onClose}
      closeButton={false}
      closeOnBackdrop={false}
    >
      <AddForm {...props} />
    </Dialog>
  );
}

function AddForm({ device, onAdded, onClose }: Props) {
  const { me } = useSession();
  /** The typed name; null until something was typed. */
  const [typed, setTyped] = useState<string | null>(null);
  const [password, setPassword] = useState("");
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState<{ isName: boolean; message: string } | null>(null);
  const nameBox = useRef<HTMLInputElement>(null);
  const passwordBox = useRef<HTMLInputElement>(null);
  const running = useRef<AbortController | null>(null);
  const name = typed ?? device;
  useEffect(() => () => running.current?.abort(), []);

  const send = async (): Promise<void> => {
    if (busy || !isName(name) || password === "") return;
    running.current = new AbortController();
    const { signal } = running.current;
    setBusy(true);
    setWrong(null);
    try {
      await addPasskey(tidyLine(name), password, signal);
      await onAdded();
      // It may be closed by now, and open again for another passkey.
      if (!signal.aborted) onClose();
      toast(say(words.isAdded));
    } catch (error) {
      if (signal.aborted) return;
      setBusy(false);
      if (isWrongPassword(error)) toast(say(words.wrongPassword), { error: true });
      else if (isThereAlready(error)) setWrong({ isName: false, message: say(words.thereAlready) });
      else setWrong({ isName: isAboutName(error), message: refusedText(error, say(words.notAdded)) });
      (isAboutName(error) ? nameBox : passwordBox).current?.focus();
    }
  };

  return (
    <Form className={css.form} onSend={() => void send()}>
      {/* Tells password managers which password to offer. */}
      <input type="email" name="username" autoComplete="username" value={me?.email ?? ""} readOnly hidden />
      <NameField
        label={say(words.name)}
        name={name}
        max={NAME_CHARS_MAX}
        error={wrong?.isName === true ? wrong.message : null}
        busy={busy}
        box={nameBox}
        onType={(next) => {
          setTyped(next);
          setWrong(null);
        }}
      />
      <PasswordField
        ref={passwordBox}
        label={say(words.password)}
        name="password"
        autoComplete="current-password"
        required
        readOnly={busy}
        value={password}
        onChange={(event) => {
          setPassword(event.target.value);
          setWrong(null);
        }}
      />
      <Note text={wrong?.isName === false ? wrong.message : null} />
      <FormActions>
        <Button variant="quiet" onClick={onClose}>
          {say(common.cancel)}
        </Button>
        <Button type="submit" busy={busy} disabled={!isName(name) || password === ""}>
          {say(words.add)}
        </Button>
      </FormActions>
    </Form>
  );
}
