// Where a new group gets its name.

import type { FormEvent } from "react";
import { useRef, useState } from "react";
import { Button } from "../../ui/Button";
import { CharCounter } from "../../ui/CharCounter";
import { Field } from "../../ui/Field";
import { toast } from "../../ui/toast";
import { says } from "../../store/says";
import type { Id } from "../../store/state";
import { countOf, tidyLine } from "../../store/words";
import { Underway } from "./Underway";
import { createGroup } from "./slice";
import { NAME_CHARS_MAX, isAbout, isName } from "./words";
import css from "./groups.module.css";

type NewGroupProps = {
  /** What to say when it could not be made. */
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
    // The button that was pressed is about to sleep.
    box.current?.focus();
    setBusy(true);
    setError(null);
    try {
      const id = await createGroup(name);
      setName("");
      toast("Group created successfully");
      onMade?.(id);
    } catch (refusal) {
      if (!isAbout(refusal)) toast(failed, { error: true });
      setError(says(refusal, "") || null);
    }
    setBusy(false);
  };

  return (
    <form className={css.make} noValidate onSubmit={(event) => void make(event)}>
      <Field label="New group name" error={error} counter={<CharCounter count={countOf(tidyLine(name))} max={NAME_CHARS_MAX} />}>
        <input
          ref={box}
          type="text"
          required
          dir="auto"
          autoComplete="off"
          value={name}
          readOnly={busy}
          onChange={({ target }) => {
            setName(target.value);
            setError(null);
          }}
        />
      </Field>
      <Button type="submit" variant="quiet" busy={busy} disabled={!isName(name)}>
        Create Group
      </Button>
      <Underway busy={busy} />
    </form>
  );
}
