// The card of a post on its author's own profile, with what only the author sees and may do.

import { OwnerButtons } from "../features/posts/OwnerButtons";
import { PostCard } from "../features/posts/PostCard";
import { PositiveCount } from "../features/votes/PositiveCount";
import { everywhere } from "./cards";

export const ownCard = (postId: number) => (
  <PostCard
    {...everywhere(postId, "card")}
    owner={
      <>
        <PositiveCount postId={postId} />
        <OwnerButtons postId={postId} />
      </>
    }
  />
);
