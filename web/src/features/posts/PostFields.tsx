// The text fields of a post, for the form that writes one and the form that edits one.

import { CharCounter } from "../../ui/CharCounter";
import { Field } from "../../ui/Field";
import { TextArea } from "../../ui/TextArea";
import { say } from "../../say";
import { CONTENT_NOTE_CHARS_MAX, TAG_CHARS_MAX, TEXT_CHARS_MAX, TITLE_CHARS_MAX } from "./api";

type PostFieldProps = {
  value: string;
  /** The number of characters after trimming. */
  count: number;
  error: string | undefined;
  readOnly: boolean;
  onWrite(value: string): void;
};

export function TitleField(props: PostFieldProps) {
  return <LineField name="title" label={say("Title")} max={TITLE_CHARS_MAX} {...props} />;
}

export function TagField(props: PostFieldProps) {
  return <LineField name="tag" label={say("Tag")} max={TAG_CHARS_MAX} {...props} />;
}

export function ContentNoteField(props: PostFieldProps) {
  return (
    <LineField name="content_note" label={say("Content note")} max={CONTENT_NOTE_CHARS_MAX} {...props} />
  );
}

export function TextField({
  rows,
  value,
  count,
  error,
  readOnly,
  onWrite,
}: PostFieldProps & { rows: number }) {
  return (
    <Field label={say("Text")} error={error} counter={<CharCounter count={count} max={TEXT_CHARS_MAX} />}>
      <TextArea
        name="text"
        required
        rows={rows}
        dir="auto"
        value={value}
        readOnly={readOnly}
        onChange={(event) => onWrite(event.target.value)}
      />
    </Field>
  );
}

type LineFieldProps = PostFieldProps & { name: string; label: string; max: number };

function LineField({ name, label, max, value, count, error, readOnly, onWrite }: LineFieldProps) {
  return (
    <Field label={label} error={error} counter={<CharCounter count={count} max={max} />}>
      <input
        name={name}
        type="text"
        dir="auto"
        lang=""
        autoComplete="off"
        placeholder={say("Optional")}
        value={value}
        readOnly={readOnly}
        onChange={(event) => onWrite(event.target.value)}
      />
    </Field>
  );
}
