// Fills the slots of a post with the components of other features, and makes its card in a list.

import { Thread } from "../features/comments/Thread";
import { Pictures } from "../features/pictures/Pictures";
import { PostCard } from "../features/posts/PostCard";
import { Vibes } from "../features/votes/Vibes";

/** What a post has in every place. `counted`: its author sees how many positive vibes it has. */
export const everywhere = (postId: number, place: "card" | "page", counted = false) => ({
  postId,
  place,
  pictures: <Pictures postId={postId} />,
  buttons: <Vibes postId={postId} counted={counted} />,
  comments: <Thread postId={postId} place={place} />,
});

/** A post in the feed. */
export const feedCard = (postId: number) => <PostCard {...everywhere(postId, "card")} />;
