// Fills the slots of a post on its own page with the components of other features.

import { Thread } from "../features/comments/Thread";
import { Pictures } from "../features/pictures/Pictures";
import { PostCard } from "../features/posts/PostCard";
import { SharePost } from "../features/posts/SharePost";
import { Vibes } from "../features/votes/Vibes";

/** A whole post, on its own page. */
export const wholePost = (postId: number) => (
  <PostCard
    key={postId}
    postId={postId}
    place="page"
    pictures={<Pictures postId={postId} />}
    votes={<Vibes postId={postId} />}
    comments={<Thread postId={postId} place="page" />}
    share={<SharePost postId={postId} />}
  />
);
