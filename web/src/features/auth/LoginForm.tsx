// Logging in. What was typed stays in its fields whatever happens; what went wrong is a message.

import type { ReactNode } from "react";
import { useRef, useState } from "react";
import { RefusedError, logIn } from "../../store/session";
import { shell } from "../../text";
import type { Me } from "../../wire/types.gen";
import { Button } from "../../ui/Button";
import { Field } from "../../ui/Field";
import { PasswordField } from "../../ui/PasswordField";
import { toast } from "../../ui/toast";
import { account } from "./account";
import { logInSays } from "./says";
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
      toast(logInSays(error), { error: true });
      const box = error instanceof RefusedError && error.code === "no_such_user" ? emailBox : passwordBox;
      box.current?.focus();
    }
  };

  return (
    <form
      noValidate
      className={css.form}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <Field label={account.email}>
        <input
          ref={emailBox}
          type="email"
          name="email"
          autoComplete="username"
          inputMode="email"
          autoCapitalize="none"
          spellCheck={false}
          required
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
      </Field>
      <PasswordField
        ref={passwordBox}
        label={account.password}
        name="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      <Button type="submit" wide busy={busy} disabled={email.trim() === "" || password === ""}>
        {shell.logIn}
      </Button>
      {children}
    </form>
  );
}
