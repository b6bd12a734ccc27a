// The sign-up form. A refusal is shown beside its field until the field is corrected.

import type { ReactNode } from "react";
import { useRef, useState } from "react";
import { RefusedError, signUp } from "../../engine/session";
import { say } from "../../say";
import { shell } from "../../text";
import type { Me } from "../../engine/types.gen";
import { EmailInput } from "../../ui/EmailInput";
import { Button } from "../../ui/Button";
import { Field } from "../../ui/Field";
import { catchFocus } from "../../ui/focus";
import { PasswordField } from "../../ui/PasswordField";
import { Note } from "../../ui/Note";
import { account } from "./account";
import css from "./auth.module.css";

type Name = "email" | "password" | "name";
type Wrong = Partial<Record<Name | "form", string>>;

type SignupFormProps = {
  /** The code of an invitation. */
  invite: string | null;
  onDone: (me: Me) => void;
  children?: ReactNode;
};

export function SignupForm({ invite, onDone, children }: SignupFormProps) {
  const [words, setWords] = useState<Record<Name, string>>({ email: "", password: "", name: "" });
  const [wrong, setWrong] = useState<Wrong>({});
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);

  const type =
    (field: Name) =>
    (event: { target: { value: string } }): void => {
      setWords({ ...words, [field]: event.target.value });
      setWrong({ ...wrong, [field]: undefined, form: undefined });
    };

  const send = async (): Promise<void> => {
    if (busy || words.email.trim() === "" || words.password === "") return;
    setBusy(true);
    setWrong({});
    try {
      const { password } = words;
      onDone(await signUp({ email: words.email.trim(), password, name: words.name.trim(), invite }));
    } catch (error) {
      const { field, message } = blame(error);
      setBusy(false);
      setWrong({ [field]: message });
      if (field !== "form") form.current?.querySelector<HTMLElement>(`[name="${field}"]`)?.focus();
      else catchFocus(() => form.current?.querySelector<HTMLElement>("[type=submit]"));
    }
  };

  return (
    <form
      ref={form}
      noValidate
      className={css.form}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <Field label={say(account.email)} error={wrong.email}>
        <EmailInput autoComplete="username" value={words.email} onChange={type("email")} />
      </Field>
      <PasswordField
        label={say(account.password)}
        name="password"
        autoComplete="new-password"
        required
        hint={say(account.passwordHint)}
        error={wrong.password}
        value={words.password}
        onChange={type("password")}
      />
      <Field label={say(account.name)} hint={say(account.nameHint)} error={wrong.name}>
        <input
          type="text"
          name="name"
          autoComplete="nickname"
          dir="auto"
          lang=""
          value={words.name}
          onChange={type("name")}
        />
      </Field>
      <Note text={wrong.form} className={css.wrong} />
      <Button type="submit" wide busy={busy} disabled={words.email.trim() === "" || words.password === ""}>
        {say(shell.signUp)}
      </Button>
      {children}
    </form>
  );
}

const SHOWN_AS_IS = new Set(["slow_down", "storage_full", "invite_expired", "sign_up_closed"]);

/** Returns the field that a refusal concerns, and its sentence. */
function blame(error: unknown): { field: Name | "form"; message: string } {
  if (!(error instanceof RefusedError) || error.message === "")
    return { field: "form", message: say(account.signUpFailed) };
  const { message } = error;
  if (error.field === "email" || error.field === "password" || error.field === "name")
    return { field: error.field, message };
  if (error.code === "email_taken") return { field: "email", message };
  if (error.code === "weak_password") return { field: "password", message };
  if (SHOWN_AS_IS.has(error.code)) return { field: "form", message };
  return { field: "form", message: say(account.signUpFailed) };
}
