// The dialog in which the owner deletes a group. It first asks the server how many posts the group has, and
// says what happens to them.
//
// Promise: without a connection the dialog can be closed, and the request is still sent later.

import { useEffect, useState } from "react";
import { readGroup } from "./members";
import { refusalText } from "../../engine/refusalText";
import type { Id } from "../../engine/state";
import { say } from "../../say";
import { common } from "../../text";
import { Button } from "../../ui/Button";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { InlineError } from "../../ui/InlineError";
import { toast } from "../../ui/toast";
import { useSendingNote } from "../shared/sending";
import { deleteGroup } from "./api";
import { fate } from "./words";

export function DeleteGroup({ groupId }: { groupId: Id }) {
  const [asking, setAsking] = useState(false);
  const [posts, setPosts] = useState<number | "unknown" | "failed">("unknown");
  const [busy, setBusy] = useState(false);
  const [note, setNote] = useState<string | undefined>();
  const sendingNote = useSendingNote(busy);

  useEffect(() => {
    if (!asking || posts !== "unknown") return;
    let listens = true;
    readGroup(groupId).then(
      (ok) => {
        if (listens) setPosts(ok.posts_count);
      },
      () => {
        if (listens) setPosts("failed");
      },
    );
    return () => {
      listens = false;
    };
  }, [asking, posts, groupId]);

  const open = () => {
    setPosts("unknown");
    setNote(undefined);
    setAsking(true);
  };

  const remove = async () => {
    setBusy(true);
    setNote(undefined);
    try {
      await deleteGroup(groupId);
      toast(say("Group deleted successfully"));
      setAsking(false);
    } catch (error) {
      toast(say("Error deleting group"), { error: true });
      setNote(refusalText(error, "") || undefined);
    }
    setBusy(false);
  };

  return (
    <>
      <Button variant="quiet" onClick={open}>
        {say("Delete")}
      </Button>
      <ConfirmDialog
        title={say("Delete Group")}
        open={asking}
        confirm={say("Delete")}
        danger
        busy={busy || typeof posts === "string"}
        goesOn
        note={sendingNote}
        error={note}
        onConfirm={() => void remove()}
        onClose={() => setAsking(false)}
      >
        {posts === "failed" && <InlineError onRetry={() => setPosts("unknown")} />}
        {posts === "unknown" && <span>{say(common.loading)}</span>}
        {typeof posts === "number" && <span>{fate(posts)}</span>}
      </ConfirmDialog>
    </>
  );
}
