// The banner above a restored draft, with a button to delete the draft or to start a new post.

import { useEffect } from "react";
import { say } from "../../say";
import { Button } from "../../ui/Button";
import { announce } from "../../ui/announce";
import styles from "./drafts.module.css";

export type RestoredDraftProps = {
  /** Some of its pictures could not be kept. */
  isLost: boolean;
  /** Share Post was pressed, and the reply did not arrive. */
  wasAsked: boolean;
  /** The tag in the address of the page; empty if there is none. */
  tag: string;
  disabled: boolean;
  onDelete(): void;
};

export function RestoredDraft({ isLost, wasAsked, tag, disabled, onDelete }: RestoredDraftProps) {
  useEffect(() => announce(say("Your draft is back.")), []);
  return (
    <section className={styles.restored} aria-label={say("Restored draft")}>
      <div className={styles.message}>
        <p>{say("Here's what you were writing.")}</p>
        {isLost && (
          <p className={styles.more}>{say("Your words are saved. Please add your pictures again.")}</p>
        )}
        {wasAsked && (
          <p className={styles.more}>
            {say(
              "You were sharing this when the page went away. Share it again: if it got through, it won't be posted twice.",
            )}
          </p>
        )}
      </div>
      <div className={styles.ways}>
        <Button variant="quiet" small disabled={disabled} onClick={onDelete}>
          {say("Delete")}
        </Button>
        {tag !== "" && (
          <Button variant="quiet" small disabled={disabled} onClick={onDelete} className={styles.fresh}>
            {say("Start fresh with {tag}", { tag: `#${tag}` })}
          </Button>
        )}
      </div>
    </section>
  );
}

/** Offers to undo the deletion of the draft, until something else is written. */
export function DeletedDraft({ onUndo }: { onUndo(): void }) {
  useEffect(() => announce(say("Your draft is deleted.")), []);
  return (
    <div className={styles.restored}>
      <p className={styles.message}>{say("Your draft is deleted.")}</p>
      <Button variant="quiet" small onClick={onUndo} data-undo="">
        {say("Undo")}
      </Button>
    </div>
  );
}
