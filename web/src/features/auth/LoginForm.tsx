// The log-in form. Typed text always stays in its fields, and an error is shown as a toast.

import type { ReactNode } from "react";
import { useRef, useState } from "react";
import { RefusedError, logIn } from "../../engine/session";
import { say } from "../../say";
import { shell } from "../../text";
import type { Me } from "../../engine/types.gen";
import { EmailInput } from "../../ui/EmailInput";
import { Button } from "../../ui/Button";
import { Field } from "../../ui/Field";
import { Form } from "../../ui/Form";
import { PasswordField } from "../../ui/PasswordField";
import { toast } from "../../ui/toast";
import { PasskeyButton } from "./PasskeyButton";
import { account } from "./account";
import { logInRefusalText } from "./logInRefusalText";
import css from "./auth.module.css";

export function LoginForm({ onDone, children }: { onDone: (me: Me) => void; children?: ReactNode }) {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [busy, setBusy] = useState(false);
  const emailBox = useRef<HTMLInputElement>(null);
  const passwordBox = useRef<HTMLInputElement>(null);

  const send = async (): Promise<void> => {
    if (busy || email.trim() === "" || password === "") return;
    setBusy(true);
    try {
      onDone(await logIn(email.trim(), password));
    } catch (error) {
      setBusy(false);
      toast(logInRefusalText(error), { error: true });
      const box = error instanceof RefusedError && error.code === "no_such_user" ? emailBox : passwordBox;
      box.current?.focus();
    }
  };

  return (
    <Form className={css.form} onSend={() => void send()}>
      <Field label={say(account.email)}>
        <EmailInput
          ref={emailBox}
          autoComplete="username webauthn"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
      </Field>
      <PasswordField
        ref={passwordBox}
        label={say(account.password)}
        name="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      <Button type="submit" wide busy={busy} disabled={email.trim() === "" || password === ""}>
        {say(shell.logIn)}
      </Button>
      <PasskeyButton userId={null} suggests onDone={onDone} />
      {children}
    </Form>
  );
}
