// The page behind a link of a mail. Its one button confirms the new address or keeps the old one.

import { useRef, useState } from "react";
import { refusalText } from "../../engine/refusalText";
import { RefusedError, askAsGuest } from "../../engine/session";
import { say } from "../../say";
import { Button } from "../../ui/Button";
import { Note } from "../../ui/Note";
import { newKey } from "../../engine/keys";
import { mail } from "./words";
import css from "./auth.module.css";

type MailAnswerProps = {
  op: "auth.confirm_email" | "auth.undo_email";
  token: string;
  label: string;
  onDone(): void;
  onExpired(): void;
};

export function MailAnswer({ op, token, label, onDone, onExpired }: MailAnswerProps) {
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState<string | null>(null);
  const key = useRef<ArrayBuffer | null>(null);

  const press = async (): Promise<void> => {
    if (busy) return;
    setBusy(true);
    setWrong(null);
    key.current ??= newKey();
    try {
      await askAsGuest(op, { key: key.current, token });
      onDone();
    } catch (error) {
      setBusy(false);
      if (error instanceof RefusedError && error.code === "link_expired") onExpired();
      else setWrong(refusalText(error, say(mail.failed)));
    }
  };

  return (
    <div className={css.form}>
      <Note text={wrong} className={css.wrong} />
      <Button wide busy={busy} onClick={() => void press()}>
        {label}
      </Button>
    </div>
  );
}
