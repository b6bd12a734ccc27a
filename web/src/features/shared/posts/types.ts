// Posts, comments and lists of posts, as the page holds them.

import type { Id } from "../../../engine/state";
import type { Audience, Comment, Commenters, Picture, Vote } from "../../../engine/types.gen";
import type { Waiting } from "../groups/audience";

/** The most posts and comments that are held; what is off screen is dropped first. */
export const POSTS_MAX = 300;
export const COMMENTS_MAX = 2_000;

declare module "../../../engine/state" {
  interface State {
    posts: Record<Id, PostEntry>;
    comments: Record<Id, Comment>;
    /** `feed:` is Your Space, `feed:tag` one tag of it, `author:7` a profile's posts. */
    views: Record<string, ListView>;
    /** By place and post: `card:9`, `page:9`. */
    opened: Record<string, Opened>;
    /** Comments known to be deleted: a late `created` must not bring one back. */
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
  audience: Audience;
  pictures: Picture[];
  created_at_ms: number;
  updated_at_ms: number;
  /** As of when title, text, audience and the time of the last edit are known. */
  editedAt: number;
  vote: Vote;
  voteAt: number;
  /** A number only for the post's author. */
  positive_count: number | null;
  positiveAt: number;
  /** Who may comment on the author's public posts, if the viewer may not. */
  comments_only_for: Commenters | null;
  commentersAt: number;
  comments_count: number;
  countAt: number;
  /** The `seq` of the viewer's newest comment that was answered. A post that was read before does not have it. */
  answeredAt: number;
  /** The oldest comments without a gap, oldest first. Longer than this: not fetched yet. */
  thread: Id[];
  /** True once the post is gone, for everybody or for the viewer; its words are forgotten, the line `Removed` stays. */
  removed: boolean;
  /** As of when it is known to be there, or gone. */
  thereAt: number;
  /** It went because the viewer is no longer in its group. */
  lost: boolean;
};

export type ListView = {
  ids: Id[];
  /** New posts that wait under the pill, newest first. */
  pile: Waiting[];
  older: Id | null;
  status: "loading" | "ready" | "failed";
  loadingOlder: boolean;
  followsAnyone: boolean;
  /** The newest post that was let go to keep the list within its bound; null: the list begins with its newest. */
  topCut: Id | null;
  /** True when what belongs in this list has changed: read it again when it is next opened. */
  stale: boolean;
  asOf: number;
};

/** How much of a thread a reader has opened. */
export type Opened = "closed" | "two" | "all";

export const feedView = (tag: string | null): string => `feed:${tag ?? ""}`;
export const authorView = (userId: Id): string => `author:${userId}`;

export const emptyView = (): ListView => ({
  ids: [],
  pile: [],
  older: null,
  status: "loading",
  loadingOlder: false,
  followsAnyone: true,
  topCut: null,
  stale: false,
  asOf: 0,
});
