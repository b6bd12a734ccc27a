// The form that edits a post, in the place where the post stands.
//
// Promise: typed text is kept whatever happens meanwhile; a refusal is shown beside the field it names.

import { useState } from "react";
import { FormActions } from "../../ui/FormActions";
import { AudienceSelect } from "../../ui/AudienceSelect";
import { Button } from "../../ui/Button";
import { CharCounter } from "../../ui/CharCounter";
import { Field } from "../../ui/Field";
import { TextArea } from "../../ui/TextArea";
import { toast } from "../../ui/toast";
import { GROUP_GONE, useAudiences } from "../shared/groups/useAudiences";
import type { Id } from "../../engine/state";
import { isAuthorOnly } from "../shared/groups/audience";
import { useStore } from "../../engine/store";
import { countOf, tidyLine, tidyText } from "../shared/text";
import { useEditForm } from "../shared/useEditForm";
import type { Edited } from "./edit";
import { Revision, endEdit, isOvertaken, isUnsaved, wordsOf, writeEdit } from "./edit";
import { TEXT_CHARS_MAX, TITLE_CHARS_MAX } from "./api";
import styles from "./posts.module.css";

const NEEDS_TEXT = "Post text cannot be empty";

export function EditPost({ postId }: { postId: Id }) {
  const title = useStore((s) => wordsOf(s, postId).title);
  const text = useStore((s) => wordsOf(s, postId).text);
  const audience = useStore((s) => wordsOf(s, postId).audience);
  const { isGone, hint, ...groups } = useAudiences(audience);
  // As it is: what is for its author alone may stay so.
  const isAlone = isAuthorOnly({ audience });
  const overtaken = useStore((s) => isOvertaken(s, postId));
  const unsaved = useStore((s) => isUnsaved(s, postId));
  const [revision] = useState(() => new Revision());
  const counts = { title: countOf(tidyLine(title)), text: countOf(tidyText(text)) };
  const isTooLong = counts.title > TITLE_CHARS_MAX || counts.text > TEXT_CHARS_MAX;
  const { form, errors, sending, note, changed, submit, cancel } = useEditForm<keyof Edited>({
    fields: ["title", "text", "audience"],
    around: "article",
    isUnsaved: unsaved,
    failed: "Error updating post. Please try again.",
    reasonAt: "text",
    check: () => {
      if (counts.text === 0) return { field: "text", message: NEEDS_TEXT };
      return isGone && !isAlone ? { field: "audience", message: GROUP_GONE } : null;
    },
    save: async () => {
      await revision.save(postId);
      toast("Post updated successfully");
    },
    close: () => endEdit(postId),
  });

  const write = (field: "title" | "text") => (event: { target: { value: string } }) => {
    writeEdit(postId, { [field]: event.target.value });
    changed(field);
  };

  return (
    <form className={styles.editor} ref={form} noValidate onSubmit={submit}>
      <Field
        label="Title"
        error={errors.title}
        hint="Optional"
        counter={<CharCounter count={counts.title} max={TITLE_CHARS_MAX} />}
      >
        <input
          name="title"
          type="text"
          dir="auto"
          autoComplete="off"
          value={title}
          readOnly={sending}
          onChange={write("title")}
        />
      </Field>
      <Field
        label="Text"
        error={errors.text}
        counter={<CharCounter count={counts.text} max={TEXT_CHARS_MAX} />}
      >
        <TextArea
          name="text"
          required
          rows={4}
          dir="auto"
          value={text}
          readOnly={sending}
          onChange={write("text")}
        />
      </Field>
      <AudienceSelect
        {...groups}
        value={audience}
        hint={isAlone ? "Only you see this post." : hint}
        error={errors.audience ?? (isGone && !isAlone ? GROUP_GONE : undefined)}
        disabled={sending}
        onChoose={(chosen) => {
          writeEdit(postId, { audience: chosen });
          changed("audience");
        }}
      />
      {overtaken && !sending && (
        <p className={styles.note} role="status">
          This post was changed on another device meanwhile. Saving puts your words in place of those.
        </p>
      )}
      <FormActions note={note}>
        <Button type="button" variant="quiet" disabled={sending} onClick={cancel}>
          Cancel
        </Button>
        <Button type="submit" busy={sending} disabled={isTooLong}>
          Save
        </Button>
      </FormActions>
    </form>
  );
}
