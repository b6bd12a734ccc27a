// The own profile in boxes. The banner above shows the colours while they are being chosen.
//
// Promise: what was typed is kept whatever happens meanwhile; a refusal is said beside the box it names.

import { useEffect, useRef, useState } from "react";
import { Button } from "../../ui/Button";
import { CharCounter } from "../../ui/CharCounter";
import { Field } from "../../ui/Field";
import { TextArea } from "../../ui/TextArea";
import { catchFocus } from "../../ui/focus";
import { toast } from "../../ui/toast";
import { useSlow } from "../../store/slow";
import type { ProfileEntry } from "../../store/state";
import { useStore } from "../../store/store";
import { countOf, tidyLine, tidyText } from "../../store/words";
import { RefusedError } from "../../wire/ask";
import { ColorPick } from "./ColorPick";
import { BIO_CHARS_MAX, NAME_CHARS_MAX, Revision, endEdit, isUnsaved, wordsOf, writeEdit } from "./edit";
import styles from "./edit.module.css";

const NEEDS_NAME = "Please enter a name.";

type Errors = { name?: string | undefined; bio?: string | undefined; form?: string | undefined };

export function EditProfile({ profile }: { profile: ProfileEntry }) {
  const edit = useStore((s) => s.profileEdit);
  const offline = useStore((s) => s.connection.state === "offline");
  const [errors, setErrors] = useState<Errors>({});
  const [sending, setSending] = useState(false);
  const [revision] = useState(() => new Revision());
  const slow = useSlow(sending);
  const form = useRef<HTMLFormElement>(null);
  const { name, bio, from, to } = wordsOf(edit, profile);
  const unsaved = isUnsaved(edit, profile);
  const counts = { name: countOf(tidyLine(name)), bio: countOf(tidyText(bio)) };
  const over = counts.name > NAME_CHARS_MAX || counts.bio > BIO_CHARS_MAX;

  const find = (what: string) => form.current?.querySelector<HTMLElement>(what);

  // The button that was pressed has gone.
  useEffect(() => catchFocus(() => find("[name=name]")), []);

  // Elsewhere in Mellow the words are kept; a page that is closed would take them along.
  useEffect(() => {
    if (!unsaved) return;
    const hold = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener("beforeunload", hold);
    return () => removeEventListener("beforeunload", hold);
  }, [unsaved]);

  const write = (field: "name" | "bio") => (event: { target: { value: string } }) => {
    writeEdit({ [field]: event.target.value });
    setErrors({ ...errors, [field]: undefined, form: undefined });
  };

  const refuse = (field: "name" | "bio", message: string) => {
    setErrors({ [field]: message });
    find(`[name=${field}]`)?.focus();
  };

  /** Back to the button that opened the boxes. */
  const leave = (head: Element | null | undefined) => catchFocus(() => head?.querySelector<HTMLElement>("[data-edit]"));

  const cancel = () => {
    const head = form.current?.closest("section");
    endEdit();
    leave(head);
  };

  const save = async () => {
    if (sending || over) return;
    if (counts.name === 0) return refuse("name", NEEDS_NAME);
    const head = form.current?.closest("section");
    setErrors({});
    setSending(true);
    try {
      await revision.save(profile.id);
      leave(head);
    } catch (error) {
      setSending(false);
      const refusal = error instanceof RefusedError ? error : null;
      if (refusal?.code === "abandoned") return;
      if (refusal !== null && (refusal.field === "name" || refusal.field === "bio")) return refuse(refusal.field, refusal.message);
      toast("Error updating profile. Please try again.", { error: true });
      catchFocus(() => find("[type=submit]"));
      // Why, when the server gave a reason that waiting can mend.
      if (refusal !== null && refusal.retryMs !== null && refusal.message !== "") setErrors({ form: `${refusal.message} Your words are kept.` });
    }
  };

  return (
    <form
      aria-label="Edit Profile"
      className={styles.form}
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Field label="Display name" error={errors.name} counter={<CharCounter count={counts.name} max={NAME_CHARS_MAX} />}>
        <input name="name" type="text" required dir="auto" autoComplete="nickname" value={name} readOnly={sending} onChange={write("name")} />
      </Field>
      <Field label="Bio" error={errors.bio} hint="Optional" counter={<CharCounter count={counts.bio} max={BIO_CHARS_MAX} />}>
        <TextArea name="bio" rows={3} value={bio} readOnly={sending} onChange={write("bio")} />
      </Field>
      <ColorPick label="From color" end="strong" value={from} disabled={sending} onPick={(color) => writeEdit({ from: color })} />
      <ColorPick label="To color" end="soft" value={to} disabled={sending} onPick={(color) => writeEdit({ to: color })} />
      {errors.form !== undefined && (
        <p role="alert" className={styles.wrong}>
          {errors.form}
        </p>
      )}
      <div className={styles.actions}>
        {slow && <p className={styles.note}>{offline ? "Saved. It will go out when you're back online." : "Sending"}</p>}
        <Button variant="quiet" disabled={sending} onClick={cancel}>
          Cancel
        </Button>
        <Button type="submit" busy={sending} disabled={over}>
          Save
        </Button>
      </div>
    </form>
  );
}
