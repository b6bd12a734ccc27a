// What only the author of a post sees of it, wherever it is shown: its menu, the form that edits it in place, and
// the edited text after the post was deleted elsewhere. This file is loaded after the page.

import { Ellipsis, Link2, Pencil, Trash2 } from "lucide-react";
import { useEffect, useState } from "react";
import type { Id } from "../../engine/state";
import { useStore } from "../../engine/store";
import { say } from "../../say";
import { Button } from "../../ui/Button";
import type { MenuItem } from "../../ui/Menu";
import { Menu } from "../../ui/Menu";
import { announce } from "../../ui/announce";
import { copyLink } from "../../ui/shareLink";
import { toast } from "../../ui/toast";
import { DeletePostQuestion } from "./DeletePost";
import { beginEdit } from "./edit";
import styles from "./posts.module.css";
import { sharePost } from "./share";

export { EditPost } from "./EditPost";

export function OwnMenu({ postId }: { postId: Id }) {
  const isPublic = useStore((s) => s.posts[postId]?.audience.type === "public");
  const [asking, setAsking] = useState(false);
  const items: MenuItem[] = [
    {
      label: say("Edit"),
      icon: <Pencil size={20} aria-hidden="true" />,
      onSelect: () => beginEdit(postId),
    },
    {
      label: say("Delete"),
      icon: <Trash2 size={20} aria-hidden="true" />,
      onSelect: () => setAsking(true),
    },
  ];
  if (isPublic)
    items.push({
      label: say("Copy Link"),
      icon: <Link2 size={20} aria-hidden="true" />,
      onSelect: () => void sharePost(postId, copyLink),
    });
  return (
    <>
      <Menu label={say("Post menu")} items={items}>
        <Ellipsis size={20} aria-hidden="true" />
      </Menu>
      <DeletePostQuestion postId={postId} open={asking} onClose={() => setAsking(false)} />
    </>
  );
}

/** Shows the edited text to copy, after the post was deleted elsewhere. */
export function KeptEdit({ postId }: { postId: Id }) {
  const edit = useStore((s) => s.edits[postId]);
  const words = [edit?.content_note, edit?.title, edit?.text]
    .filter((one) => (one ?? "").trim() !== "")
    .join("\n\n");
  useEffect(() => {
    if (words !== "") announce(say("This post was deleted. What you were writing is still here."));
  }, [words]);
  if (words === "") return null;

  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(words);
      toast(say("Copied."));
    } catch {
      toast(say("Unable to copy. Please copy manually."), { error: true });
    }
  };
  return (
    <div className={styles.kept}>
      <p className={styles.note}>{say("This post was deleted. This is what you were writing:")}</p>
      <p className={styles.text} dir="auto">
        {words}
      </p>
      <Button variant="quiet" small onClick={() => void copy()}>
        {say("Copy")}
      </Button>
    </div>
  );
}
