// The form that edits the viewer's own profile. The banner above shows the colours while they are chosen.
//
// Promise: typed text is kept whatever happens meanwhile. A refusal is shown beside the field that it names.

import { useRef } from "react";
import { say } from "../../say";
import { FormActions } from "../../ui/FormActions";
import { Button } from "../../ui/Button";
import { CharCounter } from "../../ui/CharCounter";
import { Field } from "../../ui/Field";
import { TextArea } from "../../ui/TextArea";
import type { ProfileEntry } from "../shared/people/profiles";
import { RequestKey } from "../../engine/keys";
import { useStore } from "../../engine/store";
import { countOf, isBlank, tidyLine, tidyText } from "../shared/text";
import { useEditForm } from "../shared/useEditForm";
import { ColorPick } from "./ColorPick";
import { BIO_CHARS_MAX, NAME_CHARS_MAX, endEdit, fieldsOf, isUnsaved, saveEdit, writeEdit } from "./edit";
import styles from "./edit.module.css";
import { Note } from "../../ui/Note";

const NEEDS_NAME = "Please enter a name.";

export function EditProfile({ profile }: { profile: ProfileEntry }) {
  const edit = useStore((s) => s.profileEdit);
  const key = useRef(new RequestKey());
  const { name, bio, from, to } = fieldsOf(edit, profile);
  const counts = { name: countOf(tidyLine(name)), bio: countOf(tidyText(bio)) };
  const isTooLong = counts.name > NAME_CHARS_MAX || counts.bio > BIO_CHARS_MAX;
  const { form, errors, sending, note, changed, submit, cancel } = useEditForm<"name" | "bio">({
    fields: ["name", "bio"],
    around: "section",
    isUnsaved: isUnsaved(edit, profile),
    failed: say("Error updating profile. Please try again."),
    reasonAt: "form",
    check: () => (isBlank(name) ? { field: "name", message: say(NEEDS_NAME) } : null),
    save: () => saveEdit(profile.id, key.current),
    close: endEdit,
  });

  const write = (field: "name" | "bio") => (event: { target: { value: string } }) => {
    writeEdit({ [field]: event.target.value });
    changed(field);
  };

  return (
    <form aria-label={say("Edit Profile")} className={styles.form} ref={form} noValidate onSubmit={submit}>
      <Field
        label={say("Display name")}
        error={errors.name}
        counter={<CharCounter count={counts.name} max={NAME_CHARS_MAX} />}
      >
        <input
          name="name"
          type="text"
          required
          dir="auto"
          lang=""
          autoComplete="nickname"
          value={name}
          readOnly={sending}
          onChange={write("name")}
        />
      </Field>
      <Field
        label={say("Bio")}
        error={errors.bio}
        hint={say("Optional")}
        counter={<CharCounter count={counts.bio} max={BIO_CHARS_MAX} />}
      >
        <TextArea name="bio" rows={3} value={bio} readOnly={sending} onChange={write("bio")} />
      </Field>
      <ColorPick
        label={say("From color")}
        end="strong"
        value={from}
        disabled={sending}
        onPick={(color) => writeEdit({ from: color })}
      />
      <ColorPick
        label={say("To color")}
        end="soft"
        value={to}
        disabled={sending}
        onPick={(color) => writeEdit({ to: color })}
      />
      <Note text={errors.form} />
      <FormActions note={note}>
        <Button variant="quiet" disabled={sending} onClick={cancel}>
          {say("Cancel")}
        </Button>
        <Button type="submit" busy={sending} disabled={isTooLong}>
          {say("Save")}
        </Button>
      </FormActions>
    </form>
  );
}
