// A post's words in boxes, in the place where they stood.
//
// Promise: what was typed is kept whatever happens meanwhile; a refusal is said beside the box it names.

import { useEffect, useRef, useState } from "react";
import { AudienceSelect } from "../../ui/AudienceSelect";
import { Button } from "../../ui/Button";
import { CharCounter } from "../../ui/CharCounter";
import { Field } from "../../ui/Field";
import { TextArea } from "../../ui/TextArea";
import { catchFocus } from "../../ui/focus";
import { toast } from "../../ui/toast";
import { GROUP_GONE, useAudiences } from "../../store/audiences";
import type { Id } from "../../store/state";
import { isBare } from "../../store/state";
import { useStore } from "../../store/store";
import { countOf, tidyLine, tidyText } from "../../store/words";
import { useSlow } from "../../store/slow";
import { RefusedError } from "../../wire/ask";
import type { Edited } from "./edit";
import { Revision, endEdit, isOvertaken, isUnsaved, wordsOf, writeEdit } from "./edit";
import { TEXT_CHARS_MAX, TITLE_CHARS_MAX } from "./slice";
import styles from "./posts.module.css";

const NEEDS_TEXT = "Post text cannot be empty";

export function EditPost({ postId }: { postId: Id }) {
  const title = useStore((s) => wordsOf(s, postId).title);
  const text = useStore((s) => wordsOf(s, postId).text);
  const audience = useStore((s) => wordsOf(s, postId).audience);
  const { isGone, hint, ...groups } = useAudiences(audience);
  // As it is: what is for its author alone may stay so.
  const isAlone = isBare({ audience });
  const overtaken = useStore((s) => isOvertaken(s, postId));
  const unsaved = useStore((s) => isUnsaved(s, postId));
  const offline = useStore((s) => s.connection.state === "offline");
  const [errors, setErrors] = useState<Partial<Record<keyof Edited, string>>>({});
  const [blamed, setBlamed] = useState<{ field: keyof Edited } | null>(null);
  const [sending, setSending] = useState(false);
  const [revision] = useState(() => new Revision());
  const slow = useSlow(sending);
  const form = useRef<HTMLFormElement>(null);
  const counts = { title: countOf(tidyLine(title)), text: countOf(tidyText(text)) };
  const over = counts.title > TITLE_CHARS_MAX || counts.text > TEXT_CHARS_MAX;

  // The button that was pressed has gone.
  useEffect(() => catchFocus(() => form.current?.querySelector<HTMLElement>("[name=title]")), []);

  // Elsewhere in Mellow the words are kept; a page that is closed would take them along.
  useEffect(() => {
    if (!unsaved) return;
    const hold = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener("beforeunload", hold);
    return () => removeEventListener("beforeunload", hold);
  }, [unsaved]);

  // What is to be chosen is disabled while it is sent: only now it can be gone to.
  useEffect(() => {
    if (blamed !== null) form.current?.querySelector<HTMLElement>(`[name=${blamed.field}]`)?.focus();
  }, [blamed]);

  const write = (field: "title" | "text") => (event: { target: { value: string } }) => {
    writeEdit(postId, { [field]: event.target.value });
    setErrors({ ...errors, [field]: undefined });
  };

  const refuse = (field: keyof Edited, message: string) => {
    setErrors({ [field]: message });
    setBlamed({ field });
  };

  /** Back to the button that opened the boxes. */
  const leave = (article: Element | null | undefined) => catchFocus(() => article?.querySelector<HTMLElement>("[data-edit]"));

  const cancel = () => {
    const article = form.current?.closest("article");
    endEdit(postId);
    leave(article);
  };

  const save = async () => {
    if (sending || over) return;
    if (counts.text === 0) return refuse("text", NEEDS_TEXT);
    if (isGone && !isAlone) return refuse("audience", GROUP_GONE);
    const article = form.current?.closest("article");
    setErrors({});
    setSending(true);
    try {
      await revision.save(postId);
      toast("Post updated successfully");
      leave(article);
    } catch (error) {
      setSending(false);
      if (error instanceof RefusedError && error.code === "abandoned") return;
      const field = error instanceof RefusedError ? error.field : null;
      if (error instanceof RefusedError && (field === "title" || field === "text" || field === "audience")) return refuse(field, error.message);
      toast("Error updating post. Please try again.", { error: true });
      catchFocus(() => form.current?.querySelector<HTMLElement>("[type=submit]"));
      // Why, when the server gave a reason that waiting can mend.
      if (error instanceof RefusedError && error.retryMs !== null && error.message !== "") setErrors({ text: `${error.message} Your words are kept.` });
    }
  };

  return (
    <form
      className={styles.editor}
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Field label="Title" error={errors.title} hint="Optional" counter={<CharCounter count={counts.title} max={TITLE_CHARS_MAX} />}>
        <input name="title" type="text" dir="auto" autoComplete="off" value={title} readOnly={sending} onChange={write("title")} />
      </Field>
      <Field label="Text" error={errors.text} counter={<CharCounter count={counts.text} max={TEXT_CHARS_MAX} />}>
        <TextArea name="text" required rows={4} dir="auto" value={text} readOnly={sending} onChange={write("text")} />
      </Field>
      <AudienceSelect
        {...groups}
        value={audience}
        hint={isAlone ? "Only you see this post." : hint}
        error={errors.audience ?? (isGone && !isAlone ? GROUP_GONE : undefined)}
        disabled={sending}
        onChoose={(chosen) => {
          writeEdit(postId, { audience: chosen });
          setErrors({ ...errors, audience: undefined });
        }}
      />
      {overtaken && !sending && (
        <p className={styles.note} role="status">
          This post was changed on another device meanwhile. Saving puts your words in place of those.
        </p>
      )}
      <div className={styles.editorActions}>
        {slow && <p className={styles.note}>{offline ? "Saved. It will go out when you're back online." : "Sending"}</p>}
        <Button type="button" variant="quiet" disabled={sending} onClick={cancel}>
          Cancel
        </Button>
        <Button type="submit" busy={sending} disabled={over}>
          Save
        </Button>
      </div>
    </form>
  );
}
