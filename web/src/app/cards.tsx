// Where features meet on one post: the card's slots are filled here.

import { Thread } from "../features/comments/Thread";
import { DeletePost } from "../features/posts/DeletePost";
import { PostCard } from "../features/posts/PostCard";
import { SharePost } from "../features/posts/SharePost";
import { Vibes } from "../features/votes/Vibes";

/** A post in the feed. */
export const feedCard = (postId: number) => (
  <PostCard postId={postId} place="card" votes={<Vibes postId={postId} />} comments={<Thread postId={postId} place="card" />} />
);

/** A post in its author's own profile, where the author sees a little more. */
export const ownCard = (postId: number) => (
  <PostCard
    postId={postId}
    place="card"
    votes={<Vibes postId={postId} counted />}
    comments={<Thread postId={postId} place="card" />}
    owner={<DeletePost postId={postId} />}
  />
);

/** A post whole, on its own page. */
export const wholePost = (postId: number) => (
  <PostCard
    key={postId}
    postId={postId}
    place="page"
    votes={<Vibes postId={postId} />}
    comments={<Thread postId={postId} place="page" />}
    share={<SharePost postId={postId} />}
  />
);
