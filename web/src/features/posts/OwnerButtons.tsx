// The author's buttons on a post of their own profile: edit in place, and delete.

import { Button } from "../../ui/Button";
import { usePreload, useLazyPart } from "../../ui/lazyPart";
import type { Id } from "../../engine/state";
import { useStore } from "../../engine/store";
import { say } from "../../say";
import { DeletePost } from "./DeletePost";
import { ownPost } from "./ownParts";
import { beginEdit } from "./edit";

export function OwnerButtons({ postId }: { postId: Id }) {
  const editing = useStore((s) => s.edits[postId] !== undefined);
  const { part } = useLazyPart(ownPost, editing);
  usePreload(ownPost);
  if (part !== null) return null;
  return (
    <>
      <Button variant="plain" busy={editing} data-edit onClick={() => beginEdit(postId)}>
        {say("Edit")}
      </Button>
      <DeletePost postId={postId} />
    </>
  );
}
