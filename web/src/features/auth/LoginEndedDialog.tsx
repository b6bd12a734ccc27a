// The dialog for a login that was ended elsewhere or expired. The page and all typed text stay behind it
// until the same user logs in again.

import { useEffect, useState } from "react";
import { relogIn, useSession } from "../../engine/session";
import type { Me } from "../../engine/types.gen";
import { say } from "../../say";
import { shell } from "../../text";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Form } from "../../ui/Form";
import { FormActions } from "../../ui/FormActions";
import { PasswordField } from "../../ui/PasswordField";
import { toast } from "../../ui/toast";
import { PasskeyButton } from "./PasskeyButton";
import { account } from "./account";
import { logInRefusalText } from "./logInRefusalText";
import css from "./auth.module.css";

export default function LoginEndedDialog({ onLogOut }: { onLogOut(): void }) {
  const { phase, me } = useSession();
  const ended = phase === "ended" && me !== null;
  const [away, setAway] = useState(false);

  // The dialog can be closed, but it opens again at the next press on the page.
  useEffect(() => {
    if (!ended || !away) return;
    const back = (event: Event): void => {
      if (event.target instanceof Element && event.target.closest("main, nav, header") !== null)
        setAway(false);
    };
    addEventListener("click", back, { capture: true });
    return () => removeEventListener("click", back, { capture: true });
  }, [ended, away]);
  if (!ended && away) setAway(false);

  return (
    <Dialog
      open={ended && !away}
      title={say(shell.logIn)}
      onClose={() => setAway(true)}
      closeOnBackdrop={false}
      closeButton={false}
    >
      {me !== null && <Again me={me} onLogOut={onLogOut} />}
    </Dialog>
  );
}

function Again({ me, onLogOut }: { me: Me; onLogOut(): void }) {
  const [password, setPassword] = useState("");
  const [busy, setBusy] = useState(false);

  const send = async (): Promise<void> => {
    if (busy || password === "") return;
    setBusy(true);
    try {
      await relogIn(password);
    } catch (error) {
      setBusy(false);
      toast(logInRefusalText(error), { error: true });
    }
  };

  return (
    <Form className={css.form} onSend={() => void send()}>
      <p className={css.note}>{say(account.ended)}</p>
      {/* Tells password managers which password to offer. */}
      <input type="email" name="email" autoComplete="username" value={me.email} readOnly hidden />
      <PasswordField
        label={say(account.password)}
        name="password"
        autoComplete="current-password"
        required
        data-autofocus
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      <PasskeyButton userId={me.id} />
      <FormActions>
        <Button variant="plain" onClick={onLogOut}>
          {say(shell.logOut)}
        </Button>
        <Button type="submit" busy={busy} disabled={password === ""}>
          {say(shell.logIn)}
        </Button>
      </FormActions>
    </Form>
  );
}
