// The card of a post on its author's own profile, with what only the author sees and may do.

import { EditableWords, KeptEdit, OwnerButtons } from "../features/posts/OwnPost";
import { PostCard } from "../features/posts/PostCard";
import { Vibes } from "../features/votes/Vibes";
import { everywhere } from "./cards";

export const ownCard = (postId: number) => (
  <PostCard
    {...everywhere(postId, "card")}
    words={(usual) => <EditableWords postId={postId}>{usual}</EditableWords>}
    votes={<Vibes postId={postId} counted />}
    owner={<OwnerButtons postId={postId} />}
    kept={<KeptEdit postId={postId} />}
  />
);
