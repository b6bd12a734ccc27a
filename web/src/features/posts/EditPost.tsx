// The form that edits a post in place.
//
// Promise: typed text is kept whatever happens meanwhile. A refusal is shown beside the field that it names.

import { useRef } from "react";
import { FormActions } from "../../ui/FormActions";
import { AudienceSelect } from "../../ui/AudienceSelect";
import { Button } from "../../ui/Button";
import { toast } from "../../ui/toast";
import { CHOOSE, GROUP_GONE, GROUP_LEFT, useAudiences } from "../shared/groups/useAudiences";
import type { Id } from "../../engine/state";
import { ONLY_YOU, isOutside } from "../shared/groups/audience";
import { RequestKey } from "../../engine/keys";
import { useStore } from "../../engine/store";
import { say } from "../../say";
import { countOf, isBlank, tidyLine, tidyText } from "../shared/text";
import { useEditForm } from "../shared/useEditForm";
import type { Edited } from "./edit";
import { endEdit, fieldsOf, isOvertaken, isUnsaved, saveEdit, writeEdit } from "./edit";
import { ContentNoteField, TextField, TitleField } from "./PostFields";
import { CONTENT_NOTE_CHARS_MAX, TEXT_CHARS_MAX, TITLE_CHARS_MAX } from "./api";
import styles from "./posts.module.css";

export function EditPost({ postId }: { postId: Id }) {
  const title = useStore((s) => fieldsOf(s, postId).title);
  const text = useStore((s) => fieldsOf(s, postId).text);
  const content_note = useStore((s) => fieldsOf(s, postId).content_note);
  const audience = useStore((s) => fieldsOf(s, postId).audience);
  const { isGone, hint, ...groups } = useAudiences(audience);
  // An author who is no longer in the post's group may also choose that nobody else sees the post.
  const hasAlone = useStore((s) => s.posts[postId] !== undefined && isOutside(s.posts[postId]));
  const isLeft = audience.type === "group" && audience.group_id === null;
  const overtaken = useStore((s) => isOvertaken(s, postId));
  const unsaved = useStore((s) => isUnsaved(s, postId));
  const key = useRef(new RequestKey());
  const counts = {
    title: countOf(tidyLine(title)),
    text: countOf(tidyText(text)),
    content_note: countOf(tidyLine(content_note)),
  };
  const isTooLong =
    counts.title > TITLE_CHARS_MAX ||
    counts.text > TEXT_CHARS_MAX ||
    counts.content_note > CONTENT_NOTE_CHARS_MAX;
  const { form, errors, sending, note, changed, submit, cancel } = useEditForm<keyof Edited>({
    fields: ["title", "text", "content_note", "audience"],
    around: "article",
    isUnsaved: unsaved,
    failed: say("Error updating post. Please try again."),
    reasonAt: "text",
    check: () => {
      if (isBlank(text)) return { field: "text", message: say("Post text cannot be empty") };
      return isGone ? { field: "audience", message: say(isLeft ? CHOOSE : GROUP_GONE) } : null;
    },
    save: async () => {
      await saveEdit(postId, key.current);
      toast(say("Post updated successfully"));
    },
    close: () => endEdit(postId),
  });

  const write = (field: "title" | "text" | "content_note") => (value: string) => {
    writeEdit(postId, { [field]: value });
    changed(field);
  };

  return (
    <form className={styles.editor} ref={form} noValidate onSubmit={submit}>
      <TitleField
        value={title}
        count={counts.title}
        error={errors.title}
        readOnly={sending}
        onWrite={write("title")}
      />
      <TextField
        rows={4}
        value={text}
        count={counts.text}
        error={errors.text}
        readOnly={sending}
        onWrite={write("text")}
      />
      <ContentNoteField
        value={content_note}
        count={counts.content_note}
        error={errors.content_note}
        readOnly={sending}
        onWrite={write("content_note")}
      />
      <AudienceSelect
        {...groups}
        value={audience}
        hasAlone={hasAlone}
        hint={isLeft ? say(GROUP_LEFT) : audience.type === "author" ? say(ONLY_YOU) : hint}
        error={errors.audience ?? (isGone && !isLeft ? say(GROUP_GONE) : undefined)}
        disabled={sending}
        onChoose={(chosen) => {
          writeEdit(postId, { audience: chosen });
          changed("audience");
        }}
      />
      {overtaken && !sending && (
        <p className={styles.note} role="status">
          {say(
            "This post was changed on another device meanwhile. Saving puts your words in place of those.",
          )}
        </p>
      )}
      <FormActions note={note}>
        <Button type="button" variant="quiet" disabled={sending} onClick={cancel}>
          {say("Cancel")}
        </Button>
        <Button type="submit" busy={sending} disabled={isTooLong}>
          {say("Save")}
        </Button>
      </FormActions>
    </form>
  );
}
