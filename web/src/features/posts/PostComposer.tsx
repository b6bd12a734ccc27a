// The form in which a post is written. The text is a prop, and what belongs to other features (pictures, drafts)
// is a slot.
//
// Promise: Share Post is always in sight, above the keyboard of a phone too, because it is at the top of the window.

import type { ReactNode, Ref } from "react";
import { useEffect, useRef, useState } from "react";
import { AudienceSelect } from "../../ui/AudienceSelect";
import { Button } from "../../ui/Button";
import { Chip } from "../../ui/Chip";
import { Say } from "../../ui/Say";
import { announce } from "../../ui/announce";
import { catchFocus } from "../../ui/focus";
import { GROUP_GONE, useAudiences } from "../shared/groups/useAudiences";
import { useSlow } from "../../ui/useSlow";
import { useStore } from "../../engine/store";
import { say, sayAs } from "../../say";
import type { Words } from "../shared/postDraft";
import { isStorageRefused } from "../../storage";
import { waitingNote } from "../shared/sending";
import { tidyTag } from "../shared/text";
import type { Audience } from "../../engine/types.gen";
import { SAVING_AT } from "./publish";
import { ContentNoteField, TagField, TextField, TitleField } from "./PostFields";
import styles from "./composer.module.css";

export type PostComposerProps = {
  words: Words;
  audience: Audience;
  counts: Record<keyof Words, number>;
  errors: Partial<Record<keyof Words | "audience", string | undefined>>;
  /** The progress of sending, from 0 to 100; null while nothing is sent. */
  percent: number | null;
  /** Whether the fields are read-only. */
  isLocked: boolean;
  /** Pictures are sent too, so the progress is shown at once. */
  hasPictures: boolean;
  /** Whether a text is too long. */
  isOver: boolean;
  /** Why the post cannot be shared, if the reason is not visible on screen. */
  note: string | null;
  /** The heading of the page. */
  title: ReactNode;
  /** What is said above the text. */
  notices: ReactNode;
  pictures: ReactNode;
  ref: Ref<HTMLFormElement>;
  onWrite(field: keyof Words, value: string): void;
  onChoose(audience: Audience): void;
  onShare(): void;
  onCancel(): void;
};

const GOES_ON = "It goes on when you're back online.";
const MAY_LEAVE = "{note} You can leave this page.";

export function PostComposer({
  words,
  audience,
  counts,
  errors,
  percent,
  isLocked,
  hasPictures,
  isOver,
  note,
  title,
  notices,
  pictures,
  ref,
  onWrite,
  onChoose,
  onShare,
  onCancel,
}: PostComposerProps) {
  const sending = percent !== null;
  const { isGone, ...audiences } = useAudiences(audience);
  const slow = useSlow(sending);
  const offline = useSlow(useStore((s) => s.connection.state !== "live"));
  const [isTitling, setTitling] = useState(false);
  const bar = useRef<HTMLDivElement>(null);
  const cancel = useRef<HTMLButtonElement>(null);
  // Share Post is disabled while the post is sent, so the focus moves to the progress bar or to Cancel.
  useEffect(() => {
    if (!sending) return undefined;
    let [hasEnded, wasMoved] = [false, false];
    catchFocus(() => {
      if (hasEnded) return null;
      wasMoved = bar.current === null;
      return bar.current ?? cancel.current;
    });
    const { current: button } = cancel;
    return () => {
      hasEnded = true;
      if (wasMoved && document.activeElement === button) button?.blur();
    };
  }, [sending]);
  /** The post is whole, and goes out by itself when the connection is back, also after this page was left. */
  const isKept = slow && offline && (!hasPictures || (percent ?? 0) >= SAVING_AT);
  const shownNote = isKept ? waitingNote() : slow ? say(offline ? GOES_ON : "Sending") : note;
  const mayLeave = isKept && !hasPictures && !isStorageRefused();
  const spoken = slow ? shownNote : undefined;
  useEffect(() => {
    if (spoken !== undefined && spoken !== null) announce(spoken);
  }, [spoken]);
  const shownTag = tidyTag(words.tag);
  const field = (name: keyof Words) => ({
    value: words[name],
    count: counts[name],
    error: errors[name],
    readOnly: isLocked,
    onWrite: (value: string) => onWrite(name, value),
  });

  return (
    <form
      className={styles.composer}
      ref={ref}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onShare();
      }}
    >
      <div className={styles.top}>
        {title}
        <div className={styles.actions}>
          <Button type="button" variant="plain" ref={cancel} onClick={onCancel}>
            {say("Cancel")}
          </Button>
          <Button type="submit" disabled={isLocked || isOver}>
            {sayAs("publish", "Share Post")}
          </Button>
        </div>
        {shownNote !== null && (
          <p className={styles.note}>
            {mayLeave ? <Say text={MAY_LEAVE} note={<span>{shownNote}</span>} /> : <span>{shownNote}</span>}
          </p>
        )}
        {/* A text that waits for the connection makes no progress. */}
        {sending && (hasPictures || (slow && !isKept)) && (
          <div
            className={styles.bar}
            ref={bar}
            tabIndex={-1}
            role="progressbar"
            aria-label={say("Posting")}
            aria-valuemin={0}
            aria-valuemax={100}
            aria-valuenow={percent}
          >
            <div className={styles.done} style={{ inlineSize: `${String(percent)}%` }} />
          </div>
        )}
      </div>
      {notices}
      <TextField rows={6} {...field("text")} />
      <div className={styles.more}>
        {/* On a phone the title gets a row of its own when it is written. It never leaves that row. */}
        <div data-open={isTitling || words.title !== "" || undefined} onFocus={() => setTitling(true)}>
          <TitleField {...field("title")} />
        </div>
        <TagField {...field("tag")} />
        {shownTag !== "" && (
          <section className={styles.preview} aria-label={say("Tag preview")}>
            <Chip>{`#${shownTag}`}</Chip>
          </section>
        )}
        <AudienceSelect
          {...audiences}
          value={audience}
          error={errors.audience ?? (isGone ? say(GROUP_GONE) : undefined)}
          disabled={isLocked}
          onChoose={onChoose}
        />
        <ContentNoteField {...field("content_note")} />
      </div>
      {pictures}
    </form>
  );
}
