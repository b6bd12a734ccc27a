// The themes of the next two weeks.

import { useRef, useState } from "react";
import { ask } from "../../engine/client";
import { newKey } from "../../engine/keys";
import type { Planned } from "../../engine/types.gen";
import { themeWords } from "../../languages";
import { say } from "../../say";
import { common } from "../../text";
import { Button } from "../../ui/Button";
import { Field } from "../../ui/Field";
import { FormActions } from "../../ui/FormActions";
import { InlineError } from "../../ui/InlineError";
import { TextArea } from "../../ui/TextArea";
import { catchFocus } from "../../ui/focus";
import { shortDate } from "../../ui/relative";
import { useAct, useLive } from "./live";
import { theme as words } from "./words";
import css from "./admin.module.css";

export function Theme() {
  const { value: days, failed, load } = useLive(async () => (await ask("theme.schedule", {})).days);
  if (days === null) return failed ? <InlineError onRetry={load} /> : <p>{say(common.loading)}</p>;
  return (
    <ul role="list" aria-label={say(words.list)} className={css.list}>
      {days.map((planned) => (
        <li key={planned.day} className={css.item}>
          <Day planned={planned} />
        </li>
      ))}
    </ul>
  );
}

/** Returns a day as text, such as `21/Nov/26`. It is a day of the site's clock, not the reader's. */
function dayOf(day: string): string {
  const [year = 1970, month = 1, date = 1] = day.split("-").map(Number);
  return shortDate(new Date(year, month - 1, date).getTime());
}

function Day({ planned }: { planned: Planned }) {
  const { day, theme, is_set } = planned;
  const [isOpen, setOpen] = useState(false);
  const edit = useRef<HTMLButtonElement>(null);
  const { busy, act } = useAct();
  const close = (): void => {
    setOpen(false);
    catchFocus(() => edit.current);
  };
  const clear = async (): Promise<void> => {
    if (await act(() => ask("theme.clear", { key: newKey(), day }))) catchFocus(() => edit.current);
  };
  if (isOpen) return <Edit planned={planned} onClose={close} />;
  return (
    <>
      <div className={css.words}>
        <p className={css.name} dir="auto">
          {theme === null ? say(words.none) : themeWords(theme).title}
        </p>
        <p className={css.facts}>
          <span>{dayOf(day)}</span>
          {theme !== null && <span dir="auto">{`#${theme.tag}`}</span>}
        </p>
      </div>
      <div className={css.acts}>
        <Button ref={edit} variant="quiet" small onClick={() => setOpen(true)}>
          {say(words.edit)}
        </Button>
        {is_set && (
          <Button variant="plain" small busy={busy} onClick={() => void clear()}>
            {say(words.clear)}
          </Button>
        )}
      </div>
    </>
  );
}

function Edit({ planned: { day, theme }, onClose }: { planned: Planned; onClose(): void }) {
  const [title, setTitle] = useState(theme?.title ?? "");
  const [description, setDescription] = useState(theme?.description ?? "");
  const [tag, setTag] = useState(theme?.tag ?? "");
  const { busy, act } = useAct();
  const save = async (): Promise<void> => {
    const fields = { key: newKey(), day, title, description, tag };
    if (await act(() => ask("theme.set", fields))) onClose();
  };
  const field = (label: string, value: string, max: number, set: (value: string) => void, first = false) => (
    <Field label={label}>
      <input
        type="text"
        dir="auto"
        lang=""
        autoComplete="off"
        autoFocus={first}
        maxLength={max}
        value={value}
        onChange={({ target }) => set(target.value)}
      />
    </Field>
  );
  return (
    <form
      noValidate
      className={css.form}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <p className={css.facts}>{dayOf(day)}</p>
      {field(say(words.title), title, 100, setTitle, true)}
      <Field label={say(words.description)}>
        <TextArea
          rows={2}
          autoComplete="off"
          maxLength={500}
          value={description}
          onChange={({ target }) => setDescription(target.value)}
        />
      </Field>
      {field(say(words.tag), tag, 31, setTag)}
      <FormActions>
        <Button variant="quiet" disabled={busy} onClick={onClose}>
          {say(common.cancel)}
        </Button>
        <Button type="submit" busy={busy}>
          {say(words.save)}
        </Button>
      </FormActions>
    </form>
  );
}
