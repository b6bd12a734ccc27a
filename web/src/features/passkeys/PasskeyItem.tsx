// A passkey in the list. One of an earlier host name can only be removed.

import { useEffect, useId, useRef, useState } from "react";
import type { Passkey } from "../../engine/types.gen";
import { say } from "../../say";
import { common } from "../../text";
import { Button } from "../../ui/Button";
import { FormActions } from "../../ui/FormActions";
import { Note } from "../../ui/Note";
import { Say } from "../../ui/Say";
import { quiet } from "../../ui/card";
import { isComposing } from "../../ui/composing";
import { catchFocus } from "../../ui/focus";
import { shortDate } from "../../ui/relative";
import { NameField } from "../shared/NameField";
import { SendingNote } from "../shared/sending";
import { tidyLine } from "../shared/text";
import { isAboutName, isName, refusedText, renamePasskey } from "./api";
import { NAME_CHARS_MAX, words } from "./words";
import css from "./passkeys.module.css";

type PasskeyItemProps = {
  passkey: Passkey;
  onRenamed(): Promise<void>;
  onRemove(): void;
};

export function PasskeyItem({ passkey, onRenamed, onRemove }: PasskeyItemProps) {
  const { name, host, added_at_ms, used_at_ms } = passkey;
  const [isRenaming, setRenaming] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  // The buttons of every passkey have the same names.
  const nameId = useId();
  const renamed = (): void => {
    setRenaming(false);
    catchFocus(() => button.current);
  };
  return (
    <li className={css.item}>
      {isRenaming ? (
        <Rename passkey={passkey} onRenamed={onRenamed} onDone={renamed} />
      ) : (
        <>
          <p id={nameId}>
            <bdi>{name}</bdi>
          </p>
          {host !== null && (
            <p className={quiet}>
              <Say text={words.host} host={<bdi>{host}</bdi>} />
            </p>
          )}
          <p className={quiet}>{say(words.added, { day: shortDate(added_at_ms) })}</p>
          <p className={quiet}>
            {used_at_ms === null ? say(words.unused) : say(words.used, { day: shortDate(used_at_ms) })}
          </p>
          <div className={css.acts}>
            {host === null && (
              <Button
                ref={button}
                variant="quiet"
                aria-describedby={nameId}
                onClick={() => setRenaming(true)}
              >
                {say(words.rename)}
              </Button>
            )}
            <Button variant="plain" aria-describedby={nameId} onClick={onRemove}>
              {say(words.remove)}
            </Button>
          </div>
        </>
      )}
    </li>
  );
}

type RenameProps = { passkey: Passkey; onRenamed(): Promise<void>; onDone(): void };

function Rename({ passkey, onRenamed, onDone }: RenameProps) {
  const [name, setName] = useState(passkey.name);
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState<{ isName: boolean; message: string } | null>(null);
  const box = useRef<HTMLInputElement>(null);

  useEffect(() => {
    box.current?.focus();
    box.current?.select();
  }, []);

  const save = async (): Promise<void> => {
    if (busy || !isName(name)) return;
    setBusy(true);
    setWrong(null);
    try {
      if (tidyLine(name) !== passkey.name) {
        await renamePasskey(passkey, tidyLine(name));
        await onRenamed();
      }
      onDone();
    } catch (error) {
      setBusy(false);
      setWrong({ isName: isAboutName(error), message: refusedText(error) });
      box.current?.focus();
    }
  };

  return (
    <form
      className={css.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || isComposing(event.nativeEvent) || busy) return;
        event.preventDefault();
        onDone();
      }}
    >
      <NameField
        label={say(words.newName)}
        name={name}
        max={NAME_CHARS_MAX}
        error={wrong?.isName === true ? wrong.message : null}
        busy={busy}
        box={box}
        onType={(next) => {
          setName(next);
          setWrong(null);
        }}
      />
      <Note text={wrong?.isName === false ? wrong.message : null} />
      <SendingNote busy={busy} still />
      <FormActions>
        <Button variant="quiet" disabled={busy} onClick={onDone}>
          {say(common.cancel)}
        </Button>
        <Button type="submit" busy={busy} disabled={!isName(name)}>
          {say(words.save)}
        </Button>
      </FormActions>
    </form>
  );
}
