// The viewer's email address and password, and the deletion of the account.

import { useRef, useState } from "react";
import { useSession } from "../../engine/session";
import { refusalText } from "../../engine/refusalText";
import { Button } from "../../ui/Button";
import { catchFocus } from "../../ui/focus";
import { toast } from "../../ui/toast";
import { ChangeEmail } from "./ChangeEmail";
import { DeleteAccount } from "./DeleteAccount";
import { Section } from "./Section";
import { sendReset } from "./api";
import { deletion, email, password, titles } from "./words";
import css from "./settings.module.css";

export function Account() {
  const { me } = useSession();
  const [open, setOpen] = useState<"email" | "delete" | null>(null);
  if (me === null) return null;
  const close = (): void => setOpen(null);

  return (
    <Section
      title={titles.account}
      apart={
        <div className={css.act}>
          <div className={css.about}>
            <h3 className={css.label}>{deletion.title}</h3>
            <p className={css.hint}>{deletion.hint}</p>
          </div>
          <Button variant="danger" onClick={() => setOpen("delete")}>
            {deletion.open}
          </Button>
        </div>
      }
    >
      <div className={css.act}>
        <div className={css.about}>
          <h3 className={css.label}>{email.title}</h3>
          <p className={css.hint}>
            <span>{`${email.own} `}</span>
            <strong className={css.address}>{me.email}</strong>
          </p>
          {me.pending_email !== null && (
            <div className={css.waiting}>
              <p>{email.waiting(me.pending_email)}</p>
              <p className={css.hint}>{email.waitingHint}</p>
            </div>
          )}
        </div>
        <Button variant="quiet" onClick={() => setOpen("email")}>
          {email.change}
        </Button>
      </div>
      <SendReset />
      <ChangeEmail open={open === "email"} own={me.email} onClose={close} />
      <DeleteAccount open={open === "delete"} own={me.email} onClose={close} />
    </Section>
  );
}

function SendReset() {
  const [busy, setBusy] = useState(false);
  const button = useRef<HTMLButtonElement>(null);

  const send = async (): Promise<void> => {
    setBusy(true);
    try {
      await sendReset();
      toast(password.sent);
    } catch (error) {
      toast(refusalText(error, password.failed), { error: true });
    }
    setBusy(false);
    catchFocus(() => button.current);
  };

  return (
    <div className={css.act}>
      <div className={css.about}>
        <h3 className={css.label}>{password.title}</h3>
        <p className={css.hint}>{password.hint}</p>
      </div>
      <Button ref={button} variant="quiet" busy={busy} onClick={() => void send()}>
        {password.send}
      </Button>
    </div>
  );
}
