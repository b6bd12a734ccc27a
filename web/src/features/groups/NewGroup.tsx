// The form that creates a group.

import type { FormEvent } from "react";
import { useRef, useState } from "react";
import { say } from "../../say";
import { Button } from "../../ui/Button";
import { toast } from "../../ui/toast";
import { refusalText } from "../../engine/refusalText";
import type { Id } from "../../engine/state";
import { NameField } from "../shared/NameField";
import { SendingNote } from "../shared/sending";
import { createGroup } from "./api";
import { NAME_CHARS_MAX, isAbout, isName } from "./words";
import css from "./groups.module.css";

type NewGroupProps = {
  /** The message if the group could not be created. */
  failed: string;
  onMade?(groupId: Id): void;
};

export function NewGroup({ failed, onMade }: NewGroupProps) {
  const [name, setName] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const box = useRef<HTMLInputElement>(null);

  const make = async (event: FormEvent) => {
    event.preventDefault();
    if (busy || !isName(name)) return;
    // The pressed button is disabled during the request, so the box gets the focus.
    box.current?.focus();
    setBusy(true);
    setError(null);
    try {
      const id = await createGroup(name);
      setName("");
      toast(say("Group created successfully"));
      onMade?.(id);
    } catch (refusal) {
      if (!isAbout(refusal)) toast(failed, { error: true });
      setError(refusalText(refusal, "") || null);
    }
    setBusy(false);
  };

  return (
    <form className={css.make} noValidate onSubmit={(event) => void make(event)}>
      <NameField
        label={say("New group name")}
        name={name}
        max={NAME_CHARS_MAX}
        error={error}
        busy={busy}
        box={box}
        onType={(next) => {
          setName(next);
          setError(null);
        }}
      />
      <Button type="submit" variant="quiet" busy={busy} disabled={!isName(name)}>
        {say("Create Group")}
      </Button>
      <SendingNote busy={busy} />
    </form>
  );
}
