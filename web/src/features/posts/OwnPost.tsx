// The author's buttons on a post of their own profile: edit in place, and delete.

import type { ReactNode } from "react";
import { useEffect } from "react";
import { Button } from "../../ui/Button";
import { InlineError } from "../../ui/InlineError";
import { announce } from "../../ui/announce";
import { lazyPart, usePreload, useLazyPart } from "../../ui/lazyPart";
import { toast } from "../../ui/toast";
import type { Id } from "../../engine/state";
import { useStore } from "../../engine/store";
import { DeletePost } from "./DeletePost";
import { beginEdit } from "./edit";
import styles from "./posts.module.css";

const editor = lazyPart(() => import("./EditPost"));

export function OwnerButtons({ postId }: { postId: Id }) {
  const editing = useStore((s) => s.edits[postId] !== undefined);
  const { part } = useLazyPart(editor, editing);
  usePreload(editor);
  if (part !== null) return null;
  return (
    <>
      <Button variant="quiet" busy={editing} data-edit onClick={() => beginEdit(postId)}>
        Edit
      </Button>
      <DeletePost postId={postId} />
    </>
  );
}

/** The text of the post, or the form to edit it. */
export function EditableWords({ postId, children }: { postId: Id; children: ReactNode }) {
  const editing = useStore((s) => s.edits[postId] !== undefined);
  const { part, failed, again } = useLazyPart(editor, editing);
  if (part !== null) return <part.EditPost postId={postId} />;
  return (
    <>
      {children}
      {failed && <InlineError onRetry={again} />}
    </>
  );
}

/** Shows the edited text to copy, after the post was deleted elsewhere. */
export function KeptEdit({ postId }: { postId: Id }) {
  const edit = useStore((s) => s.edits[postId]);
  const words = [edit?.title ?? "", edit?.text ?? ""].filter((one) => one.trim() !== "").join("\n\n");
  useEffect(() => {
    if (words !== "") announce("This post was deleted. What you were writing is still here.");
  }, [words]);
  if (words === "") return null;

  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(words);
      toast("Copied.");
    } catch {
      toast("Unable to copy. Please copy manually.", { error: true });
    }
  };
  return (
    <div className={styles.kept}>
      <p className={styles.note}>This post was deleted. This is what you were writing:</p>
      <p className={styles.text} dir="auto">
        {words}
      </p>
      <Button variant="quiet" small onClick={() => void copy()}>
        Copy
      </Button>
    </div>
  );
}
