// Makes the cards of posts: fills the slots of `PostCard` with components of other features.

import { Thread } from "../features/comments/Thread";
import { Pictures } from "../features/pictures/Pictures";
import { PostCard } from "../features/posts/PostCard";
import { Vibes } from "../features/votes/Vibes";

/** Returns the slots that a post has in every place, with its id and place. */
export const everywhere = (postId: number, place: "card" | "page") => ({
  postId,
  place,
  pictures: <Pictures postId={postId} />,
  buttons: <Vibes postId={postId} />,
  comments: <Thread postId={postId} place={place} />,
});

/** A post in the feed. */
export const feedCard = (postId: number) => <PostCard {...everywhere(postId, "card")} />;
