// The form that renames a group, in the place of its name.

import type { FormEvent } from "react";
import { useEffect, useRef, useState } from "react";
import { refusalText } from "../../engine/refusalText";
import type { Id } from "../../engine/state";
import { tidyLine } from "../shared/text";
import { say } from "../../say";
import { common } from "../../text";
import { Button } from "../../ui/Button";
import { isComposing } from "../../ui/composing";
import { catchFocus } from "../../ui/focus";
import { toast } from "../../ui/toast";
import { NameField } from "../shared/NameField";
import { SendingNote } from "../shared/sending";
import { renameGroup } from "./api";
import { NAME_CHARS_MAX, isAbout, isName } from "./words";
import css from "./groups.module.css";

export function Rename({ groupId, name, onDone }: { groupId: Id; name: string; onDone(): void }) {
  /** The typed name; null until something was typed. While null, the box shows the current name. */
  const [typed, setTyped] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const box = useRef<HTMLInputElement>(null);
  const text = typed ?? name;

  useEffect(() => {
    box.current?.focus();
    box.current?.select();
  }, []);

  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (busy || !isName(text)) return;
    if (tidyLine(text) === name) {
      onDone();
      return;
    }
    setBusy(true);
    setError(null);
    try {
      await renameGroup(groupId, text);
      toast(say("Group updated successfully"));
      onDone();
    } catch (refusal) {
      if (!isAbout(refusal)) toast(say("Error updating group"), { error: true });
      setError(refusalText(refusal, "") || null);
      setBusy(false);
      catchFocus(() => box.current);
    }
  };

  return (
    <form
      className={css.rename}
      noValidate
      onSubmit={(event) => void save(event)}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || isComposing(event.nativeEvent) || busy) return;
        event.preventDefault();
        onDone();
      }}
    >
      <NameField
        label={say("Group name")}
        name={text}
        max={NAME_CHARS_MAX}
        error={error}
        busy={busy}
        box={box}
        onType={(next) => {
          setTyped(next);
          setError(null);
        }}
      />
      <SendingNote busy={busy} />
      <div className={css.actions}>
        <Button variant="quiet" disabled={busy} onClick={onDone}>
          {say(common.cancel)}
        </Button>
        <Button type="submit" busy={busy} disabled={!isName(text)}>
          {say("Save")}
        </Button>
      </div>
    </form>
  );
}
