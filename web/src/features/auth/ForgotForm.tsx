// The form that requests a link for a new password. The reply is the same for every address, so it does not
// reveal who has an account.

import { useState } from "react";
import { refusalText } from "../../engine/refusalText";
import { RefusedError, askAsGuest } from "../../engine/session";
import { say } from "../../say";
import { EmailInput } from "../../ui/EmailInput";
import { Form } from "../../ui/Form";
import { Button } from "../../ui/Button";
import { Field } from "../../ui/Field";
import { Note } from "../../ui/Note";
import { account } from "./account";
import { forgot } from "./words";
import css from "./auth.module.css";

export function ForgotForm() {
  const [email, setEmail] = useState("");
  const [how, setHow] = useState<"writing" | "busy" | "sent">("writing");
  const [wrong, setWrong] = useState<{ field: boolean; message: string } | null>(null);

  const send = async (): Promise<void> => {
    if (how === "busy" || email.trim() === "") return;
    setHow("busy");
    setWrong(null);
    try {
      await askAsGuest("auth.request_reset", { email: email.trim() });
      setHow("sent");
    } catch (error) {
      setHow("writing");
      setWrong({
        field: error instanceof RefusedError && error.field === "email",
        message: refusalText(error, say(forgot.failed)),
      });
    }
  };

  return (
    <Form className={css.form} onSend={() => void send()}>
      <Field label={say(account.email)} error={wrong?.field === true ? wrong.message : null}>
        <EmailInput
          autoComplete="username"
          value={email}
          onChange={(event) => {
            setEmail(event.target.value);
            setHow((now) => (now === "sent" ? "writing" : now));
            setWrong(null);
          }}
        />
      </Field>
      <Note text={wrong?.field === false ? wrong.message : null} className={css.wrong} />
      <Button type="submit" wide busy={how === "busy"} disabled={email.trim() === ""}>
        {say(forgot.send)}
      </Button>
      <p role="status" className={css.answer}>
        {how === "sent" && say(forgot.sent)}
      </p>
    </Form>
  );
}
