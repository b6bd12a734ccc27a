// A post in its author's own profile, where the author sees and may do a little more.

import { Thread } from "../features/comments/Thread";
import { Pictures } from "../features/pictures/Pictures";
import { EditableWords, KeptEdit, OwnerButtons } from "../features/posts/OwnPost";
import { PostCard } from "../features/posts/PostCard";
import { Vibes } from "../features/votes/Vibes";

export const ownCard = (postId: number) => (
  <PostCard
    postId={postId}
    place="card"
    words={(usual) => <EditableWords postId={postId}>{usual}</EditableWords>}
    pictures={<Pictures postId={postId} />}
    votes={<Vibes postId={postId} counted />}
    comments={<Thread postId={postId} place="card" />}
    owner={<OwnerButtons postId={postId} />}
    kept={<KeptEdit postId={postId} />}
  />
);
