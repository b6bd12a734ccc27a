// Shown if another tab has the draft. The saved text can be read here, and this tab can take the draft over.

import { say } from "../../say";
import { Button } from "../../ui/Button";
import type { Draft } from "../shared/postDraft";
import styles from "./drafts.module.css";

export type ElsewhereProps = { draft: Draft | null; isPosting: boolean; onContinue(): void };

export function Elsewhere({ draft, isPosting, onContinue }: ElsewhereProps) {
  return (
    <div className={styles.elsewhere}>
      <p className={styles.notice}>{say("You're writing this in another tab.")}</p>
      {isPosting && <p role="status">{say("It's being shared from there right now.")}</p>}
      {draft !== null && (
        <div className={styles.words} dir="auto">
          {draft.words.title !== "" && <p className={styles.title}>{draft.words.title}</p>}
          {draft.words.text !== "" && <p className={styles.text}>{draft.words.text}</p>}
          {draft.words.content_note !== "" && <p>{draft.words.content_note}</p>}
        </div>
      )}
      <Button onClick={onContinue}>{say("Continue here")}</Button>
    </div>
  );
}
