// The types of held posts, comments and lists of posts.

import type { Id } from "../../../engine/state";
import type { Audience, Comment, Commenters, Picture, Vote } from "../../../engine/types.gen";
import type { Waiting } from "../groups/audience";

/** The most posts and comments that are held. Those off screen are dropped first. */
export const POSTS_MAX = 300;
export const COMMENTS_MAX = 2_000;

declare module "../../../engine/state" {
  interface State {
    posts: Record<Id, PostEntry>;
    comments: Record<Id, Comment>;
    /**
     * `feed:` is Your Space, `feed:tag` one tag of it, `author:7` a profile's posts, `group:7` a group's, `saved:` what
     * the viewer saved, `found:words` the viewer's own posts with these words.
     */
    views: Record<string, ListView>;
    /** How much of a thread is open, by place and post: `card:9`, `page:9`. */
    opened: Record<string, Opened>;
    /** Deleted comments, so that a late `created` event does not restore one. */
    deletedComments: Record<Id, true>;
  }
}

export type PostEntry = {
  id: Id;
  author_id: Id;
  title: string | null;
  text: string;
  tag: string | null;
  tag_key: string | null;
  /** What the author says before the post is shown. */
  content_note: string | null;
  audience: Audience;
  pictures: Picture[];
  created_at_ms: number;
  updated_at_ms: number;
  /** Imported from an archive, so its date is older than its id. */
  imported: boolean;
  /** The seq as of which title, text, content note, audience and the time of the last edit are known. */
  editedAt: number;
  vote: Vote;
  voteAt: number;
  /** Whether the viewer saved it. */
  saved: boolean;
  savedAt: number;
  /** A number only for the post's author. */
  positive_count: number | null;
  positiveAt: number;
  /** Who may comment on the author's public posts, if the viewer may not. */
  comments_only_for: Commenters | null;
  commentersAt: number;
  comments_count: number;
  countAt: number;
  /**
   * The seq of the last reply to a comment of the viewer. A read below this seq does not have the comment.
   */
  confirmedAt: number;
  /** The oldest comments without a gap, oldest first. Later comments are not held. */
  thread: Id[];
  /**
   * The post was deleted, or the viewer may no longer see it. Its text is dropped, and the line `Removed`
   * stays.
   */
  removed: boolean;
  /** The seq as of which `removed` is known. */
  thereAt: number;
  /** The post was removed because the viewer is no longer in its group. */
  groupGone: boolean;
};

export type ListView = {
  ids: Id[];
  /** New posts that wait behind the button for new posts, newest first. */
  waiting: Waiting[];
  older: Id | null;
  status: "loading" | "ready" | "failed";
  loadingOlder: boolean;
  followsAnyone: boolean;
  /**
   * The newest post that was dropped to keep the list within its bound; null if the list begins with its
   * newest post.
   */
  topCut: Id | null;
  /**
   * The list is out of date. It is read again when it is opened or its new posts are shown, and the one of saved posts
   * at once.
   */
  stale: boolean;
  asOf: number;
};

/** How much of a thread a reader has opened. */
export type Opened = "closed" | "two" | "all";

export const feedView = (tag: string | null): string => `feed:${tag ?? ""}`;
export const authorView = (userId: Id): string => `author:${userId}`;
export const groupView = (groupId: Id): string => `group:${groupId}`;
/** The only list that is not in the order of its posts' ids: the latest saved comes first. */
export const SAVED_VIEW = "saved:";
export const foundView = (term: string): string => `found:${term}`;

export const emptyView = (): ListView => ({
  ids: [],
  waiting: [],
  older: null,
  status: "loading",
  loadingOlder: false,
  followsAnyone: true,
  topCut: null,
  stale: false,
  asOf: 0,
});
