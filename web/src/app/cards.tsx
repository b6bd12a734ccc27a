// Fills the slots of a post card in a list with the components of other features.

import { Thread } from "../features/comments/Thread";
import { Pictures } from "../features/pictures/Pictures";
import { PostCard } from "../features/posts/PostCard";
import { Vibes } from "../features/votes/Vibes";

/** A post in the feed. */
export const feedCard = (postId: number) => (
  <PostCard
    postId={postId}
    place="card"
    pictures={<Pictures postId={postId} />}
    votes={<Vibes postId={postId} />}
    comments={<Thread postId={postId} place="card" />}
  />
);
