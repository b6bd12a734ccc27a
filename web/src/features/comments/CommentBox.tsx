// The box in which a comment is written. The text and its mentions stay until the server has the comment,
// also while the reader is on other pages. On a card the box is one line until it is used.

import { memo, useId, useImperativeHandle, useLayoutEffect, useRef, useState } from "react";
import type { RefObject } from "react";
import { Button } from "../../ui/Button";
import { CharCounter } from "../../ui/CharCounter";
import { TextArea } from "../../ui/TextArea";
import { catchFocus } from "../../ui/focus";
import { insertText } from "../../ui/insertText";
import { lazyPart, useLazyPart } from "../../ui/lazyPart";
import { Note } from "../../ui/Note";
import { countSeen } from "../shared/mentions";
import type { Id } from "../../engine/state";
import type { DraftMention } from "./state";
import { useStore } from "../../engine/store";
import { say, useLanguage } from "../../say";
import { isBlank, tidyText } from "../shared/text";
import { RefusedError } from "../../engine/ask";
import type { Keys, ListIds } from "./MentionSuggestions";
import { useInUse } from "./useInUse";
import { asSent, keepMentions, mention, typedAt } from "./mentionDraft";
import type { Place } from "./api";
import { COMMENT_CHARS_MAX, comment, write } from "./api";
import styles from "./comments.module.css";

/** What other components may do with the box. */
export type Box = { mention(user: { id: Id; name: string }): void };

const nobody: DraftMention[] = [];
const people = lazyPart(() => import("./MentionSuggestions"));

type CommentBoxProps = { postId: Id; place: Place; box: RefObject<Box | null> };

export const CommentBox = memo(function CommentBox({ postId, place, box }: CommentBoxProps) {
  useLanguage();
  // True also if the comment was sent from the card and the reader has opened the post's page meanwhile.
  const sending = useStore((s) => s.pending.comments.some((one) => one.post_id === postId));
  // A kept post may have been deleted meanwhile, so the box is disabled.
  const isKept = useStore((s) => s.kept !== null);
  const draft = useStore((s) => s.drafts[postId] ?? "");
  const draftMeant = useStore((s) => s.meant[postId] ?? nobody);
  // While a comment is being sent it is in the list, so the box is empty. After a refusal the text returns to
  // the box.
  const [text, meant] = sending ? ["", nobody] : [draft, draftMeant];
  const [hint, setHint] = useState<string | null>(null);
  const [listIds, setListIds] = useState<ListIds | null>(null);
  /** The caret while typing; null after anything else. */
  const [caret, setCaret] = useState<number | null>(null);
  /** The offset of an `@` whose suggestions were closed. They stay closed until another `@` is typed. */
  const [left, setLeft] = useState<number | null>(null);
  const hintId = useId();
  const form = useRef<HTMLFormElement>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const keys = useRef<Keys>(null);
  const goTo = useRef<number | null>(null);
  const [inUse, begin] = useInUse(form);
  const isOpen = place === "page" || inUse || sending || text !== "";
  const tidied = tidyText(asSent({ text, meant }));
  const count = countSeen(tidied);
  const canSend = !isKept && !sending && !isBlank(tidied) && count <= COMMENT_CHARS_MAX;
  const found = caret === null || sending ? null : typedAt({ text, meant }, caret);
  const typed = found === null || found.at === left ? null : found;
  const { part } = useLazyPart(people, typed !== null);

  // The counter and the button stay visible while the box grows.
  const showWhole = () => form.current?.scrollIntoView({ block: "nearest", behavior: "instant" });
  useLayoutEffect(() => {
    if (form.current?.contains(document.activeElement)) showWhole();
  }, [text]);

  const type = (value: string, at: number) => {
    setHint(null);
    setCaret(at);
    const kept = keepMentions({ text, meant }, value, at);
    const next = typedAt({ text: value, meant: kept }, at);
    if (next?.at !== left || next.term === "") setLeft(null);
    write(postId, value, kept);
  };

  const put = (user: { id: Id; name: string }, from: number, to: number) => {
    insert(mention({ text, meant }, from, to, user), from, to);
  };

  /** Shows a text in which a part was replaced. The browser's undo takes it back. */
  const insert = (next: ReturnType<typeof mention>, from: number, to: number) => {
    const inserted = next.text.slice(from, next.text.length - (text.length - to));
    if (area.current !== null) insertText(area.current, from, to, inserted);
    // The field has reported the new text as typed text without a mention, so what that changed is set again.
    setHint(null);
    setCaret(null);
    goTo.current = next.caret;
    write(postId, next.text, next.meant);
  };

  // The caret is set after the render, because the box has the new text only then.
  useLayoutEffect(() => {
    if (goTo.current !== null) area.current?.setSelectionRange(goTo.current, goTo.current);
    goTo.current = null;
  }, [text, meant]);

  useImperativeHandle(box, () => ({
    mention: (user) => {
      area.current?.focus();
      if (sending || isKept) return;
      const there = meant.find((one) => one.id === user.id);
      if (there !== undefined) {
        const end = Math.min(text.length, there.at + there.name.length + 2);
        area.current?.setSelectionRange(end, end);
        return;
      }
      const glue = text === "" || /\s$/u.test(text) ? "" : " ";
      const next = mention(
        { text: text + glue, meant },
        text.length + glue.length,
        text.length + glue.length,
        user,
      );
      insert(next, text.length, text.length);
    },
  }));

  const send = async () => {
    if (!canSend) return;
    setHint(null);
    const byKeyboard = form.current?.querySelector("button:focus-visible") !== null;
    try {
      await comment(place, postId, tidied);
    } catch (error) {
      setHint(hintFor(error));
    }
    // After a press by touch the box gets no focus, because a phone's keyboard would open.
    if (byKeyboard) catchFocus(() => area.current);
  };

  return (
    <form
      ref={form}
      className={styles.form}
      data-open={isOpen || undefined}
      onFocus={begin}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <div className={styles.writing}>
        <TextArea
          ref={area}
          aria-label={say("Write a comment")}
          aria-describedby={hint === null ? undefined : hintId}
          aria-autocomplete="list"
          aria-controls={listIds?.listId}
          aria-activedescendant={listIds?.activeId}
          placeholder={say("Say something kind or useful")}
          rows={1}
          dir="auto"
          value={text}
          readOnly={sending}
          disabled={isKept}
          // Without the suggestions a comment can be written all the same.
          onFocus={() => void people.fetch().catch(() => undefined)}
          onClick={showWhole}
          onChange={({ target }) => type(target.value, target.selectionStart)}
          onSelect={({ currentTarget }) => {
            if (
              caret !== null &&
              (currentTarget.selectionStart !== caret || currentTarget.selectionEnd !== caret)
            )
              setCaret(null);
          }}
          onKeyDown={(event) => {
            if (keys.current?.(event) === true) {
              event.preventDefault();
              event.stopPropagation();
            }
          }}
          onBlur={() => setCaret(null)}
        />
        {part !== null && typed !== null && (
          <part.People
            key={typed.at}
            postId={postId}
            term={typed.term}
            box={area}
            keys={keys}
            onPick={(user) => put(user, typed.at, typed.at + 1 + typed.term.length)}
            onListIds={setListIds}
            onDismiss={() => setLeft(typed.at)}
          />
        )}
      </div>
      {isOpen && (
        <div className={styles.formRow}>
          <CharCounter count={count} max={COMMENT_CHARS_MAX} />
          <Button type="submit" disabled={!canSend}>
            {say(sending ? "Posting..." : "Post Comment")}
          </Button>
        </div>
      )}
      <Note text={hint} className={styles.note} id={hintId} />
    </form>
  );
});

function hintFor(error: unknown): string {
  if (error instanceof RefusedError && error.code === "audience_changed") return error.message;
  if (
    error instanceof RefusedError &&
    (error.code === "slow_down" ||
      error.code === "not_found" ||
      error.code === "comments_limited" ||
      error.code === "invalid" ||
      error.code === "outbox_full" ||
      error.code === "storage_full")
  )
    return say("{message} Your words are kept.", { message: error.message });
  return say("Couldn't post your comment. Your words are kept. Please try again.");
}
