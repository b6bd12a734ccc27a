// Writing a post. The words stay in their fields until the server has them; a refusal is said beside
// the field it names.

import { useRef, useState } from "react";
import { Button } from "../../ui/Button";
import { CharCounter } from "../../ui/CharCounter";
import { Chip } from "../../ui/Chip";
import { Field } from "../../ui/Field";
import { TextArea } from "../../ui/TextArea";
import { catchFocus } from "../../ui/focus";
import { toast } from "../../ui/toast";
import { useStore } from "../../store/store";
import { countOf, tidyLine, tidyTag, tidyText } from "../../store/words";
import { useSlow } from "../../store/slow";
import { RefusedError } from "../../wire/ask";
import type { Words } from "./slice";
import { Composed, TAG_CHARS_MAX, TEXT_CHARS_MAX, TITLE_CHARS_MAX } from "./slice";
import styles from "./posts.module.css";

const NEEDS_TEXT = "Post text is required";

export function PostComposer({ tag, onPosted, onCancel }: { tag: string; onPosted(): void; onCancel(): void }) {
  const [words, setWords] = useState<Words>({ title: "", text: "", tag });
  const [errors, setErrors] = useState<Partial<Record<keyof Words, string>>>({});
  const [sending, setSending] = useState(false);
  const [composed] = useState(() => new Composed());
  const offline = useStore((s) => s.connection.state === "offline");
  const slow = useSlow(sending);
  const form = useRef<HTMLFormElement>(null);

  const counts = { title: countOf(tidyLine(words.title)), text: countOf(tidyText(words.text)), tag: countOf(tidyTag(words.tag)) };
  const over = counts.title > TITLE_CHARS_MAX || counts.text > TEXT_CHARS_MAX || counts.tag > TAG_CHARS_MAX;
  const shownTag = tidyTag(words.tag);

  const write = (field: keyof Words) => (event: { target: { value: string } }) => {
    setWords({ ...words, [field]: event.target.value });
    setErrors({ ...errors, [field]: undefined });
  };

  const refuse = (field: keyof Words, message: string) => {
    setErrors({ [field]: message });
    form.current?.querySelector<HTMLElement>(`[name=${field}]`)?.focus();
  };

  const send = async () => {
    if (sending || over) return;
    if (counts.text === 0) return refuse("text", NEEDS_TEXT);
    setErrors({});
    setSending(true);
    try {
      await composed.post(words);
      onPosted();
    } catch (error) {
      setSending(false);
      if (error instanceof RefusedError && error.code === "abandoned") return;
      const field = error instanceof RefusedError ? error.field : null;
      if (error instanceof RefusedError && (field === "title" || field === "text" || field === "tag")) refuse(field, error.message);
      else {
        toast("Error creating post. Please try again.", { error: true, ms: 4_000 });
        catchFocus(() => form.current?.querySelector<HTMLElement>("[type=submit]"));
        // Why, when the server gave a reason that waiting can mend.
        if (error instanceof RefusedError && error.retryMs !== null && error.message !== "") setErrors({ text: `${error.message} Your words are kept.` });
      }
    }
  };

  return (
    <form
      className={styles.composer}
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <Field label="Audience">
        <select className={styles.select} disabled={sending}>
          <option>Everyone here</option>
        </select>
      </Field>
      <Field label="Title" error={errors.title} hint="Optional" counter={<CharCounter count={counts.title} max={TITLE_CHARS_MAX} />}>
        <input name="title" type="text" dir="auto" autoComplete="off" value={words.title} readOnly={sending} onChange={write("title")} />
      </Field>
      <Field label="Text" error={errors.text} counter={<CharCounter count={counts.text} max={TEXT_CHARS_MAX} />}>
        <TextArea name="text" required rows={6} dir="auto" value={words.text} readOnly={sending} onChange={write("text")} />
      </Field>
      <Field label="Tag" error={errors.tag} hint="Optional" counter={<CharCounter count={counts.tag} max={TAG_CHARS_MAX} />}>
        <input name="tag" type="text" dir="auto" autoComplete="off" value={words.tag} readOnly={sending} onChange={write("tag")} />
      </Field>
      {shownTag !== "" && (
        <section className={styles.preview} aria-label="Tag preview">
          <Chip>{`#${shownTag}`}</Chip>
        </section>
      )}
      <div className={styles.composerActions}>
        {slow && <p className={styles.note}>{offline ? "Saved. It will go out when you're back online." : "Sending"}</p>}
        <Button type="button" variant="quiet" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" disabled={sending || over}>
          Share Post
        </Button>
      </div>
    </form>
  );
}
