// The viewer's email address and password, and the deletion of the account.

import { useRef, useState } from "react";
import { useSession } from "../../engine/session";
import { refusalText } from "../../engine/refusalText";
import { say } from "../../say";
import { Button } from "../../ui/Button";
import { Say } from "../../ui/Say";
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
            <h3 className={css.label}>{say(deletion.title)}</h3>
            <p className={css.hint}>{say(deletion.hint)}</p>
          </div>
          <Button variant="danger" onClick={() => setOpen("delete")}>
            {say(deletion.open)}
          </Button>
        </div>
      }
    >
      <div className={css.act}>
        <div className={css.about}>
          <h3 className={css.label}>{say(email.title)}</h3>
          <p className={css.hint}>
            <Say text={email.own} address={<bdi className={css.address}>{me.email}</bdi>} />
          </p>
          {me.pending_email !== null && (
            <div className={css.waiting}>
              <p>{say(email.waiting, { address: me.pending_email })}</p>
              <p className={css.hint}>{say(email.waitingHint)}</p>
            </div>
          )}
        </div>
        <Button variant="quiet" onClick={() => setOpen("email")}>
          {say(email.change)}
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
      toast(say(password.sent));
    } catch (error) {
      toast(refusalText(error, say(password.failed)), { error: true });
    }
    setBusy(false);
    catchFocus(() => button.current);
  };

  return (
    <div className={css.act}>
      <div className={css.about}>
        <h3 className={css.label}>{say(password.title)}</h3>
        <p className={css.hint}>{say(password.hint)}</p>
      </div>
      <Button ref={button} variant="quiet" busy={busy} onClick={() => void send()}>
        {say(password.send)}
      </Button>
    </div>
  );
}
