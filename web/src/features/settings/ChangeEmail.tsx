// The form that changes the email address. Typed text stays in its fields until the request succeeds.

import { useRef, useState } from "react";
import { RefusedError } from "../../engine/session";
import { say } from "../../say";
import { common } from "../../text";
import { EmailInput } from "../../ui/EmailInput";
import { Form } from "../../ui/Form";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Field } from "../../ui/Field";
import { PasswordField } from "../../ui/PasswordField";
import { toast } from "../../ui/toast";
import { newKey } from "../../engine/keys";
import { changeEmail } from "./api";
import { email } from "./words";
import css from "./settings.module.css";

/** A pattern that every address matches. The server checks the rest. */
const SHAPE = /^[^\s@]+@[^\s@]+$/u;

type Props = { own: string; onClose(): void };

export function ChangeEmail({ open, ...props }: Props & { open: boolean }) {
  return (
    <Dialog
      open={open}
      title={say(email.change)}
      onClose={props.onClose}
      closeButton={false}
      closeOnBackdrop={false}
    >
      <EmailForm {...props} />
    </Dialog>
  );
}

type Wrong = { box: "address" | "password"; message: string };

function EmailForm({ own, onClose }: Props) {
  const [address, setAddress] = useState("");
  const [password, setPassword] = useState("");
  const [wrong, setWrong] = useState<Wrong | null>(null);
  const [busy, setBusy] = useState(false);
  const boxes = { address: useRef<HTMLInputElement>(null), password: useRef<HTMLInputElement>(null) };
  // The same values have the same key, so a second press after a lost reply is the same request.
  const key = useRef<ArrayBuffer | null>(null);

  const blame = (wrong: Wrong): void => {
    setWrong(wrong);
    boxes[wrong.box].current?.focus();
  };
  const type =
    (set: (value: string) => void) =>
    (event: { target: { value: string } }): void => {
      set(event.target.value);
      setWrong(null);
      key.current = null;
    };

  const send = async (): Promise<void> => {
    if (busy) return;
    const next = address.trim();
    if (!SHAPE.test(next)) return blame({ box: "address", message: say(email.shape) });
    if (password === "") return blame({ box: "password", message: say(email.passwordMissing) });
    setBusy(true);
    setWrong(null);
    key.current ??= newKey();
    try {
      await changeEmail(key.current, next, password);
      onClose();
      toast(say(email.sent));
    } catch (error) {
      setBusy(false);
      const { code, field, message } =
        error instanceof RefusedError ? error : { code: "", field: null, message: "" };
      if (code === "invalid" && field === "email") return blame({ box: "address", message });
      if (code === "wrong_password") toast(say(email.wrongPassword), { error: true });
      else if (code === "email_taken") toast(say(email.taken), { error: true });
      else toast(code === "slow_down" ? message : say(email.failed), { error: true });
      boxes[code === "wrong_password" ? "password" : "address"].current?.focus();
    }
  };

  return (
    <Form className={css.form} onSend={() => void send()}>
      <p className={css.hint}>{say(email.lead)}</p>
      {/* Tells password managers which password to offer. */}
      <input type="email" name="username" autoComplete="username" value={own} readOnly hidden />
      <Field label={say(email.next)} error={wrong?.box === "address" ? wrong.message : null}>
        <EmailInput
          ref={boxes.address}
          autoComplete="email"
          data-autofocus
          value={address}
          onChange={type(setAddress)}
        />
      </Field>
      <PasswordField
        ref={boxes.password}
        label={say(email.password)}
        name="password"
        autoComplete="current-password"
        required
        error={wrong?.box === "password" ? wrong.message : null}
        value={password}
        onChange={type(setPassword)}
      />
      <div className={css.row}>
        <Button variant="quiet" onClick={onClose}>
          {say(common.cancel)}
        </Button>
        <Button type="submit" busy={busy}>
          {say(email.change)}
        </Button>
      </div>
    </Form>
  );
}
