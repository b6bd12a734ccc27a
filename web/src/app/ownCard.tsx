// A post on its author's own profile, with what only the author sees and may do.

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
