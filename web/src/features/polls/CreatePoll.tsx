// The dialog for writing a poll. The text is kept for the session, also after the dialog is closed.

import { X } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import { GROUP_GONE, useAudiences } from "../shared/groups/useAudiences";
import { useStore } from "../../engine/store";
import { countOf, tidyLine } from "../shared/text";
import { RefusedError } from "../../engine/ask";
import { say } from "../../say";
import { common } from "../../text";
import { SendingNote } from "../shared/sending";
import { AudienceSelect } from "../../ui/AudienceSelect";
import { Button } from "../../ui/Button";
import { CharCounter } from "../../ui/CharCounter";
import { Dialog } from "../../ui/Dialog";
import { Field } from "../../ui/Field";
import { announce } from "../../ui/announce";
import { quiet } from "../../ui/card";
import { catchFocus } from "../../ui/focus";
import { toast } from "../../ui/toast";
import { Note } from "../../ui/Note";
import { createPoll, noDraft, write } from "./api";
import type { Words, Wrong } from "./words";
import { OPTIONS_MAX, OPTIONS_MIN, OPTION_CHARS_MAX, QUESTION_CHARS_MAX, wrongWith } from "./words";
import css from "./polls.module.css";

export function CreatePoll({ open, onClose }: { open: boolean; onClose(): void }) {
  const { question, options, audience, sending } = useStore((s) => s.polls.draft) ?? noDraft;
  const { isGone, ...audiences } = useAudiences(audience, open);
  const [wrong, setWrong] = useState<Wrong | null>(null);
  const [note, setNote] = useState<string | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const id = useId();

  const find = (name: string) => form.current?.querySelector<HTMLElement>(`[name="${name}"]`);

  // Removes the error when the dialog is closed, or when the boxes no longer have it.
  useEffect(() => {
    if (!open) setWrong(null);
  }, [open]);
  const put = (words: Partial<Words>) => {
    const next = { question, options, ...words };
    write({ question: next.question, options: [...next.options] });
    setNote(null);
    const still = wrongWith(next);
    if (wrong !== null && still?.message !== wrong.message) setWrong(null);
    else if (wrong !== null) setWrong(still);
  };

  const add = () => {
    put({ options: [...options, ""] });
    requestAnimationFrame(() => find(`option ${String(options.length)}`)?.focus());
  };

  const remove = (at: number) => {
    put({ options: options.filter((_, other) => other !== at) });
    requestAnimationFrame(() => find(`option ${String(Math.min(at, options.length - 2))}`)?.focus());
  };

  const refuse = (refusal: Wrong) => {
    setWrong(refusal);
    requestAnimationFrame(() => find(refusal.field)?.focus());
  };

  const create = async () => {
    if (sending) return;
    const first = wrongWith({ question, options });
    if (first !== null) return refuse(first);
    if (isGone) return refuse({ field: "audience", message: say(GROUP_GONE) });
    setWrong(null);
    setNote(null);
    try {
      await createPoll();
      announce(say("Poll created."));
      onClose();
    } catch (error) {
      const refusal = error instanceof RefusedError ? error : null;
      if (refusal?.code === "abandoned") return;
      if (refusal?.field === "question" || refusal?.field === "options")
        return refuse({
          field: refusal.field === "options" ? "option 0" : "question",
          message: refusal.message,
        });
      // The group is the only thing in a poll that the server may not find.
      if (refusal?.code === "not_found" && audience.type === "group")
        return refuse({ field: "audience", message: say(GROUP_GONE) });
      toast(say("Failed to create poll. Please try again."), { error: true });
      // Shows the server's reason if waiting helps.
      if (refusal !== null && refusal.retryMs !== null && refusal.message !== "")
        setNote(say("{message} Your words are kept.", { message: refusal.message }));
      catchFocus(() => form.current);
    }
  };

  const errorOf = (field: string) => (wrong?.field === field ? wrong.message : undefined);
  return (
    <Dialog
      open={open}
      title={say("Create Poll")}
      closeOnBackdrop={false}
      onClose={onClose}
      actions={
        <>
          <Button variant="quiet" onClick={onClose}>
            {say(common.cancel)}
          </Button>
          <Button type="submit" form={id} busy={sending}>
            {say("Create Poll")}
          </Button>
        </>
      }
    >
      <form
        id={id}
        ref={form}
        className={css.form}
        tabIndex={-1}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <Field
          label={say("Question")}
          error={errorOf("question")}
          counter={<CharCounter count={countOf(tidyLine(question))} max={QUESTION_CHARS_MAX} />}
        >
          <input
            name="question"
            type="text"
            required
            dir="auto"
            lang=""
            autoComplete="off"
            value={question}
            readOnly={sending}
            onChange={({ target }) => put({ question: target.value })}
          />
        </Field>
        {options.map((text, at) => (
          // Options have no identity except their index.
          // oxlint-disable-next-line react/no-array-index-key
          <div key={at} className={css.answer}>
            <Field
              label={say("Option {number}", { number: at + 1 })}
              error={errorOf(`option ${String(at)}`)}
              counter={<CharCounter count={countOf(tidyLine(text))} max={OPTION_CHARS_MAX} />}
            >
              <input
                name={`option ${String(at)}`}
                type="text"
                required={at < OPTIONS_MIN}
                dir="auto"
                lang=""
                autoComplete="off"
                value={text}
                readOnly={sending}
                onChange={({ target }) =>
                  put({ options: options.map((other, place) => (place === at ? target.value : other)) })
                }
              />
            </Field>
            {options.length > OPTIONS_MIN && (
              <Button
                variant="plain"
                small
                disabled={sending}
                aria-label={say("Remove option {number}", { number: at + 1 })}
                onClick={() => remove(at)}
              >
                <X size={18} strokeWidth={1.75} aria-hidden="true" />
              </Button>
            )}
          </div>
        ))}
        {options.length < OPTIONS_MAX && (
          <Button variant="quiet" small disabled={sending} onClick={add}>
            {say("Add option")}
          </Button>
        )}
        <AudienceSelect
          {...audiences}
          value={audience}
          error={errorOf("audience") ?? (isGone ? say(GROUP_GONE) : undefined)}
          disabled={sending}
          onChoose={(chosen) => {
            write({ audience: chosen });
            setWrong(null);
            setNote(null);
          }}
        />
        <Note text={note} className={quiet} />
        <SendingNote busy={sending} still />
      </form>
    </Dialog>
  );
}
