// Shares the link of a post, and says how that went.

import { toast } from "../../ui/toast";
import type { Shared } from "../../ui/shareLink";
import type { Id } from "../../engine/state";
import { say } from "../../say";
import { postAddress } from "./api";

/** `share` brings the link to the device's share sheet or to the clipboard. */
export async function sharePost(postId: Id, share: (link: string) => Promise<Shared>): Promise<void> {
  const link = postAddress(postId);
  const shared = await share(link);
  if (shared === "copied") toast(say("Post link copied to clipboard!"));
  if (shared === "failed")
    toast(say("Unable to copy link. Please copy manually: {link}", { link }), { error: true, ms: 4_000 });
}
