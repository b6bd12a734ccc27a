// A post on its own page, with the whole text and thread.

import { PostCard } from "../features/posts/PostCard";
import { SharePost } from "../features/posts/SharePost";
import { everywhere } from "./cards";

export const wholePost = (postId: number) => (
  <PostCard key={postId} {...everywhere(postId, "page")} share={<SharePost postId={postId} />} />
);
