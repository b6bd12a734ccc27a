// The card of a post on its author's own profile, with what only the author sees and may do.

import { EditableWords, KeptEdit, OwnerButtons } from "../features/posts/OwnPost";
import { PostCard } from "../features/posts/PostCard";
import { everywhere } from "./cards";

export const ownCard = (postId: number) => (
  <PostCard
    {...everywhere(postId, "card", true)}
    words={(usual) => <EditableWords postId={postId}>{usual}</EditableWords>}
    owner={<OwnerButtons postId={postId} />}
    kept={<KeptEdit postId={postId} />}
  />
);
