// Shares a public post by the device's share sheet, or copies its link if there is none.

import { Button } from "../../ui/Button";
import { toast } from "../../ui/toast";
import type { Id } from "../../engine/state";
import { useStore } from "../../engine/store";
import { shareLink } from "../../ui/shareLink";
import { postAddress } from "./api";

export function SharePost({ postId }: { postId: Id }) {
  const isPublic = useStore((s) => s.posts[postId]?.audience.type === "public");
  if (!isPublic) return null;
  const share = async () => {
    const link = postAddress(postId);
    const shared = await shareLink(link);
    if (shared === "copied") toast("Post link copied to clipboard!");
    if (shared === "failed")
      toast(`Unable to copy link. Please copy manually: ${link}`, { error: true, ms: 4_000 });
  };
  return (
    <Button variant="quiet" onClick={share}>
      Share Post
    </Button>
  );
}
