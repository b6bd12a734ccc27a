// Where a comment is written. The words stay in the box until the server has them, and when the
// reader comes back to the post they are still there.

import { useId, useRef, useState } from "react";
import { Button } from "../../ui/Button";
import { CharCounter } from "../../ui/CharCounter";
import { TextArea } from "../../ui/TextArea";
import { catchFocus } from "../../ui/focus";
import type { Id } from "../../store/state";
import { useStore } from "../../store/store";
import { countOf, tidyText } from "../../store/words";
import { RefusedError } from "../../wire/ask";
import type { Place } from "./slice";
import { COMMENT_CHARS_MAX, comment, write } from "./slice";
import styles from "./comments.module.css";

export function CommentBox({ postId, place }: { postId: Id; place: Place }) {
  const text = useStore((s) => s.drafts[postId] ?? "");
  // Also when it was sent from this post's card and the reader has come to its page meanwhile.
  const sending = useStore((s) => s.pending.comments.some((one) => one.post_id === postId));
  const [hint, setHint] = useState<string | null>(null);
  const hintId = useId();
  const form = useRef<HTMLFormElement>(null);
  const said = tidyText(text);
  const count = countOf(said);

  const type = (value: string) => {
    setHint(null);
    write(postId, value);
  };

  const send = async () => {
    if (sending || count === 0 || count > COMMENT_CHARS_MAX) return;
    setHint(null);
    const byKeyboard = form.current?.querySelector("button:focus-visible") !== null;
    try {
      await comment(place, postId, said);
    } catch (error) {
      setHint(hintFor(error));
    }
    // A finger on the button wants no keyboard to come up.
    if (byKeyboard) catchFocus(() => form.current?.querySelector("textarea"));
  };

  return (
    <form
      ref={form}
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <TextArea
        aria-label="Write a comment"
        aria-describedby={hint === null ? undefined : hintId}
        placeholder="Say something kind or useful"
        rows={1}
        dir="auto"
        value={text}
        readOnly={sending}
        onChange={(event) => type(event.target.value)}
      />
      <div className={styles.formRow}>
        <CharCounter count={count} max={COMMENT_CHARS_MAX} />
        <Button type="submit" disabled={sending || count === 0 || count > COMMENT_CHARS_MAX}>
          {sending ? "Posting..." : "Post Comment"}
        </Button>
      </div>
      {hint !== null && (
        <p className={styles.note} id={hintId}>
          {hint}
        </p>
      )}
    </form>
  );
}

function hintFor(error: unknown): string {
  if (error instanceof RefusedError && (error.code === "slow_down" || error.code === "not_found" || error.code === "invalid" || error.code === "storage_full"))
    return `${error.message} Your words are kept.`;
  return "Couldn't post your comment. Your words are kept. Please try again.";
}
