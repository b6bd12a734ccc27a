// The imports of the viewer, each with a button that takes it back (D-W8).

import { useEffect, useId, useState } from "react";
import type { Id } from "../../engine/state";
import type { PastImport } from "../../engine/types.gen";
import { say } from "../../say";
import { common } from "../../text";
import { Button } from "../../ui/Button";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { InlineError } from "../../ui/InlineError";
import { card, quiet } from "../../ui/card";
import { shortDate } from "../../ui/relative";
import { toast } from "../../ui/toast";
import { useSendingNote } from "../shared/sending";
import { countUndone, reasonOf, undoImport } from "./api";
import { goesText, pastText, words } from "./words";
import css from "./imports.module.css";

export function PastImports({ list }: { list: readonly PastImport[] }) {
  const titleId = useId();
  return (
    <div className={card}>
      <h2 id={titleId}>{say(words.imports)}</h2>
      <ul role="list" aria-labelledby={titleId} className={css.list}>
        {list.map(({ id, source, posts, at_ms }) => (
          <li key={id} className={css.past}>
            <div id={`${titleId}-${String(id)}`}>
              <p>{pastText(posts, source)}</p>
              <p className={quiet}>{shortDate(at_ms)}</p>
            </div>
            <Undo id={id} textId={`${titleId}-${String(id)}`} />
          </li>
        ))}
      </ul>
    </div>
  );
}

type Counts = { posts: number; comments: number };

/** `textId`: the id of the element that says which import it is. The button of every import has the same name. */
function Undo({ id, textId }: { id: Id; textId: string }) {
  const [asking, setAsking] = useState(false);
  const [counts, setCounts] = useState<Counts | "unknown" | "failed">("unknown");
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState<string | undefined>();
  const note = useSendingNote(busy);

  useEffect(() => {
    if (!asking || counts !== "unknown") return;
    let listens = true;
    countUndone(id).then(
      ({ posts, comments }) => {
        if (listens) setCounts({ posts, comments });
      },
      () => {
        if (listens) setCounts("failed");
      },
    );
    return () => {
      listens = false;
    };
  }, [asking, counts, id]);

  const open = () => {
    setCounts("unknown");
    setWrong(undefined);
    setAsking(true);
  };

  const undo = async () => {
    setBusy(true);
    setWrong(undefined);
    try {
      await undoImport(id);
      toast(say(words.undone));
      setAsking(false);
    } catch (error) {
      setWrong(reasonOf(error));
    }
    setBusy(false);
  };

  return (
    <>
      <Button variant="quiet" aria-describedby={textId} onClick={open}>
        {say(words.undo)}
      </Button>
      <ConfirmDialog
        title={say(words.undo)}
        open={asking}
        confirm={say(words.undo)}
        danger
        busy={busy || typeof counts === "string"}
        goesOn
        note={note}
        error={wrong}
        onConfirm={() => void undo()}
        onClose={() => setAsking(false)}
      >
        {counts === "failed" && <InlineError onRetry={() => setCounts("unknown")} />}
        {counts === "unknown" && <span>{say(common.loading)}</span>}
        {typeof counts !== "string" && <span>{goesText(counts.posts, counts.comments)}</span>}
      </ConfirmDialog>
    </>
  );
}
