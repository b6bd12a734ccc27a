// A form that edits something in place.
//
// Promise: typed text is kept whatever happens meanwhile. A refusal is shown beside the field that it names.

import { useEffect, useEffectEvent, useRef, useState } from "react";
import type { FormEvent, RefObject } from "react";
import { RefusedError } from "../../engine/refused";
import { say } from "../../say";
import { catchFocus } from "../../ui/focus";
import { toast } from "../../ui/toast";
import { useSendingNote } from "./sending";

type EditFormOptions<F extends string> = {
  /** The fields that a refusal may name. The first gets the focus when the form appears. */
  fields: readonly [F, ...F[]];
  /**
   * The element around the form. Its `data-edit` button, or else its first menu, gets the focus when the form closes.
   */
  around: "article" | "section";
  isUnsaved: boolean;
  /** The message if saving failed. */
  failed: string;
  /** Where the server's reason is shown if trying again later may help. */
  reasonAt: F | "form";
  /** Returns an error before anything is sent; null if there is none. */
  check(): { field: F; message: string } | null;
  /** Saves and closes the form. Throws a RefusedError. */
  save(): Promise<void>;
  close(): void;
};

export type Errors<F extends string> = Partial<Record<F | "form", string | undefined>>;

type EditForm<F extends string> = {
  form: RefObject<HTMLFormElement | null>;
  errors: Errors<F>;
  sending: boolean;
  /** Shown while sending takes long. */
  note: string | undefined;
  /** The field was changed, so its error is removed. */
  changed(field: F): void;
  submit(event: FormEvent): void;
  cancel(): void;
};

export function useEditForm<F extends string>({
  fields,
  around,
  isUnsaved,
  failed,
  reasonAt,
  check,
  save,
  close,
}: EditFormOptions<F>): EditForm<F> {
  const [errors, setErrors] = useState<Errors<F>>({});
  const [refused, setRefused] = useState<{ field: F } | null>(null);
  const [sending, setSending] = useState(false);
  const note = useSendingNote(sending);
  const form = useRef<HTMLFormElement>(null);
  const find = (what: string) => form.current?.querySelector<HTMLElement>(what);

  // The form replaces the pressed button, so its first field gets the focus, and the page scrolls to it
  // because the button may have been far below.
  const focusFirst = useEffectEvent(() =>
    catchFocus(() => {
      const field = find(`[name=${fields[0]}]`);
      field?.parentElement?.scrollIntoView({ block: "nearest", behavior: "instant" });
      return field;
    }),
  );
  useEffect(() => focusFirst(), []);

  // The text is kept on other pages of Mellow, but would be lost when the page is closed, so the browser
  // asks.
  useEffect(() => {
    if (!isUnsaved) return;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isUnsaved]);

  // A field is disabled while the form is sent, so it can get the focus only afterwards.
  useEffect(() => {
    if (refused !== null) form.current?.querySelector<HTMLElement>(`[name=${refused.field}]`)?.focus();
  }, [refused]);

  const refuse = (field: F, message: string) => {
    setErrors({ [field]: message } as Errors<F>);
    setRefused({ field });
  };

  // The form was higher than what takes its place, so the button may be under the header.
  const focusEditButton = (outer: Element | null | undefined) =>
    catchFocus(() => {
      const button =
        outer?.querySelector<HTMLElement>("[data-edit]") ??
        outer?.querySelector<HTMLElement>("[aria-haspopup=menu]");
      button?.scrollIntoView({ block: "nearest", behavior: "instant" });
      return button;
    });

  const send = async () => {
    if (sending) return;
    const wrong = check();
    if (wrong !== null) return refuse(wrong.field, wrong.message);
    const outer = form.current?.closest(around);
    setErrors({});
    setSending(true);
    try {
      await save();
      focusEditButton(outer);
    } catch (error) {
      setSending(false);
      const refusal = error instanceof RefusedError ? error : null;
      if (refusal?.code === "abandoned") return;
      const field = fields.find((one) => one === refusal?.field);
      if (refusal !== null && field !== undefined) return refuse(field, refusal.message);
      toast(failed, { error: true });
      catchFocus(() => find("[type=submit]"));
      if (refusal !== null && refusal.retryMs !== null && refusal.message !== "")
        setErrors({
          [reasonAt]: say("{message} Your words are kept.", { message: refusal.message }),
        } as Errors<F>);
    }
  };

  return {
    form,
    errors,
    sending,
    note,
    changed: (field) => setErrors({ ...errors, [field]: undefined, form: undefined }),
    submit: (event) => {
      event.preventDefault();
      void send();
    },
    cancel: () => {
      const outer = form.current?.closest(around);
      close();
      focusEditButton(outer);
    },
  };
}
