// The content note of a post, and the button that shows what it covers. This file is loaded after the page, and the
// post stays covered until then (PostCard.tsx).
//
// Promises: a press asks the server for no words, because they came with the post. Focus that was in what is covered
// comes to the button. Authors see their own posts, so there is no button.

import { useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { say } from "../../say";
import { Button } from "../../ui/Button";
import { catchFocus } from "../../ui/focus";
import { useNotesOpen } from "./notesChoice";
import styles from "./contentNote.module.css";

export type ContentNoteProps = {
  note: string;
  /** Whether the post is the viewer's own. */
  own: boolean;
  /** Whether the focus is in the post. */
  inside: { readonly current: boolean };
  /** Called with the note if the post is shown under it, and with null if it is covered. */
  onChange(shown: string | null): void;
};

export function ContentNote({ note, own, inside, onChange }: ContentNoteProps) {
  const all = useNotesOpen();
  /** What the reader chose on this page, whatever the switch in Settings says. */
  const [chosen, setChosen] = useState<boolean | null>(null);
  const isOpen = chosen ?? all;
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  // The post changes before the next paint.
  useLayoutEffect(() => onChange(isOpen ? note : null), [isOpen, note, onChange]);
  useEffect(() => {
    if (!isOpen && inside.current) catchFocus(() => button.current);
  }, [isOpen, inside]);
  return (
    <div className={styles.note}>
      <p id={id} dir="auto">
        {note}
      </p>
      {!own && (
        <Button
          variant="quiet"
          small
          ref={button}
          aria-expanded={isOpen}
          aria-describedby={id}
          onClick={() => setChosen(!isOpen)}
        >
          {say(isOpen ? "Hide post" : "Show post")}
        </Button>
      )}
    </div>
  );
}
