// The form for a new password, opened by the link in a mail. Only the button uses the link up, so programs
// that open links in mails change nothing. Passkeys stay, unless the box is ticked (D-V3).

import { useEffect, useRef, useState } from "react";
import { refusalText } from "../../engine/refusalText";
import { RefusedError, askAsGuest, resetPassword } from "../../engine/session";
import { say } from "../../say";
import { Form } from "../../ui/Form";
import { Button } from "../../ui/Button";
import { PasswordField } from "../../ui/PasswordField";
import { Note } from "../../ui/Note";
import { newKey } from "../../engine/keys";
import { passkeyPlace } from "../shared/passkeys/place";
import { account } from "./account";
import { reset } from "./words";
import css from "./auth.module.css";

export function ResetForm({
  token,
  onDone,
  onExpired,
}: {
  token: string;
  onDone(): void;
  onExpired(): void;
}) {
  const [password, setPassword] = useState("");
  const [wrong, setWrong] = useState<{ field: boolean; message: string } | null>(null);
  const [busy, setBusy] = useState(false);
  const hasPasskeys = useHasPasskeys(token);
  const [removes, setRemoves] = useState(false);
  const box = useRef<HTMLInputElement>(null);
  // Each password has one key, so a second press after a lost reply is the same request.
  const key = useRef<ArrayBuffer | null>(null);

  const send = async (): Promise<void> => {
    if (busy || password === "") return;
    setBusy(true);
    setWrong(null);
    key.current ??= newKey();
    try {
      await resetPassword({ key: key.current, token, password, remove_passkeys: removes });
      onDone();
    } catch (error) {
      setBusy(false);
      const code = error instanceof RefusedError ? error.code : "";
      if (code === "link_expired") {
        onExpired();
        return;
      }
      const field = code === "weak_password" || (error instanceof RefusedError && error.field === "password");
      setWrong({ field, message: refusalText(error, say(reset.failed)) });
      if (field) box.current?.focus();
    }
  };

  return (
    <Form className={css.form} onSend={() => void send()}>
      <PasswordField
        ref={box}
        label={say(reset.password)}
        name="password"
        autoComplete="new-password"
        required
        hint={say(account.passwordHint)}
        error={wrong?.field === true ? wrong.message : null}
        value={password}
        onChange={(event) => {
          setPassword(event.target.value);
          setWrong(null);
          key.current = null;
        }}
      />
      {/* It has its room before it is known, so that the button does not move. */}
      {passkeyPlace() === "here" && (
        <div className={css.box}>
          {hasPasskeys && (
            <label>
              <input
                type="checkbox"
                checked={removes}
                onChange={({ target }) => {
                  setRemoves(target.checked);
                  key.current = null;
                }}
              />
              <span>{say(reset.removePasskeys)}</span>
            </label>
          )}
        </div>
      )}
      <Note text={wrong?.field === false ? wrong.message : null} className={css.wrong} />
      <Button type="submit" wide busy={busy} disabled={password === ""}>
        {say(reset.save)}
      </Button>
    </Form>
  );
}

/** Returns whether the account of the link has passkeys. */
function useHasPasskeys(token: string): boolean {
  const [has, setHas] = useState(false);
  useEffect(() => {
    if (passkeyPlace() !== "here") return;
    let listens = true;
    askAsGuest("auth.reset_passkeys", { token }).then(
      ({ passkeys }) => {
        if (listens) setHas(passkeys > 0);
      },
      // Without an answer the passkeys stay.
      () => undefined,
    );
    return () => {
      listens = false;
    };
  }, [token]);
  return has;
}
