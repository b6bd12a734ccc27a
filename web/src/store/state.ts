// What the page knows, held once per id. Views hold ids only; what a person sees is this plus the
// unconfirmed changes of pending.ts.
//
// Beside what the server says, each thing keeps as of when it is known (`..At`): the seq of the last event
// that changed it, or half a step more when it was read. An event below that is already contained and is
// dropped. One of the same seq is of the same write and is applied.

import type { Audience, Color, Comment, Me, Picture, ProfileView, User, Vote } from "../wire/types.gen";
import type { Groups } from "./groups";
import { noGroups } from "./groups";
import type { Moods } from "./moods";
import { noMoods } from "./moods";
import type { Notices } from "./notifications";
import { noNotices } from "./notifications";
import type { Pending } from "./pending";
import { nothingPending } from "./pending";
import type { Polls } from "./polls";
import { noPolls } from "./polls";
import type { TodaysTheme } from "./theme";
import { noTheme } from "./theme";

export type Id = number;

/** At most so many posts and comments are held; what is off screen goes first. */
export const POSTS_MAX = 300;
export const COMMENTS_MAX = 2_000;
/** So many deleted comments are remembered. */
export const DELETIONS_MAX = 500;
/** So many people who took another name, and so many who are no more, are remembered. */
export const PEOPLE_TOLD_MAX = 500;

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
  comments_count: number;
  countAt: number;
  /** The oldest comments without a gap, oldest first. Longer than this: not fetched yet. */
  thread: Id[];
  /** True once the post is gone, for everybody or for the viewer; its words are forgotten, the line `Removed` stays. */
  removed: boolean;
  /** As of when it is known to be there, or gone. */
  thereAt: number;
  /** It went because the viewer is no longer in its group. */
  lost: boolean;
};

export type ProfileEntry = ProfileView & { asOf: number; countedAt: number };

/** Whether the viewer follows this person, as far as is known. */
export type FollowEntry = { following: boolean; at: number };

/** A post that is known by name only, until the reader asks for it. With a group it is there whoever is followed. */
export type Waiting = { id: Id; author_id: Id; group_id?: Id };

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

/**
 * A post of one's own that is being edited. What was not touched is null and follows the post; `since`
 * is the post's last edit when the first key was pressed.
 */
export type Edit = { title: string | null; text: string | null; audience: Audience | null; since: number };

/** The own profile being edited, in the same way: what was not touched is null. */
export type ProfileEdit = { name: string | null; bio: string | null; from: Color | null; to: Color | null };

/** `@name` stands at this place of the words, and means this person whatever others are called. */
export type Meant = { at: number; id: Id; name: string };

/** How much of a thread a reader has opened. */
export type Opened = "closed" | "two" | "all";

export type State = {
  session: { phase: "unknown" | "guest" | "signed-in" | "ended"; me: Me | null };
  connection: { state: "live" | "reconnecting" | "offline" | "idle"; since: number };
  users: Record<Id, User>;
  posts: Record<Id, PostEntry>;
  comments: Record<Id, Comment>;
  profiles: Record<Id, ProfileEntry>;
  follows: Record<Id, FollowEntry>;
  /** `feed:` is Your Space, `feed:tag` one tag of it, `author:7` a profile's posts. */
  views: Record<string, ListView>;
  /** By place and post: `card:9`, `page:9`. */
  opened: Record<string, Opened>;
  /** By post: the comment that is being written. It is the person's, and goes with the person. */
  drafts: Record<Id, string>;
  /** By post: who is meant by the mentions in that comment. */
  meant: Record<Id, Meant[]>;
  /** By post: the edit that is under way. It goes with the person too. */
  edits: Record<Id, Edit>;
  /** Comments known to be deleted: a late `created` must not bring one back. */
  deletedComments: Record<Id, true>;
  /** By person: as of when their name and photo were last told, so that an older reply changes neither. */
  renamedAt: Record<Id, number>;
  /** People who are no more, as of when: a late reply must not bring one back. */
  goneAt: Record<Id, number>;
  /** The own profile's edit that is under way. It goes with the person too. */
  profileEdit: ProfileEdit | null;
  /** How often everything on screen had to be read again. Lists of their own do so when it rises. */
  rereads: number;
  /** What others did that concerns the viewer. */
  notices: Notices;
  moods: Moods;
  polls: Polls;
  groups: Groups;
  theme: TodaysTheme;
  pending: Pending;
};

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

export const emptyState = (): State => ({
  session: { phase: "unknown", me: null },
  connection: { state: "idle", since: 0 },
  users: {},
  posts: {},
  comments: {},
  profiles: {},
  follows: {},
  views: {},
  opened: {},
  drafts: {},
  meant: {},
  edits: {},
  deletedComments: {},
  renamedAt: {},
  goneAt: {},
  profileEdit: null,
  rereads: 0,
  notices: noNotices(),
  moods: noMoods(),
  polls: noPolls(),
  groups: noGroups(),
  theme: noTheme(),
  pending: nothingPending(),
});

/** As of when a read's reply with this seq is known: it holds the whole write, so it is later than each of its events. */
export const asRead = (seq: number): number => seq + 0.5;

/** The same record with one thing replaced; the very same object when nothing would change. */
export function put<T>(record: Record<Id, T>, id: Id, value: T): Record<Id, T> {
  return record[id] === value ? record : { ...record, [id]: value };
}

/** The group it is shared with; null for everybody, and for a group that is gone. */
export const groupOf = (audience: Audience): Id | null => (audience.type === "group" ? audience.group_id : null);

/** Shared with a group that is gone, or that its author is no longer in: for the author alone, without what others said. */
export const isBare = ({ audience }: { audience: Audience }): boolean => audience.type === "group" && audience.group_id === null;

/** Whether the viewer is known to be no longer in the group, since something was read or told as of `seq`. */
export const isLost = (state: State, audience: Audience, seq: number): boolean => seq < (state.groups.lostAt[groupOf(audience) ?? 0] ?? 0);

/** It waits to be asked for. */
export const waiting = (id: Id, authorId: Id, audience: Audience): Waiting => {
  const groupId = groupOf(audience);
  return groupId === null ? { id, author_id: authorId } : { id, author_id: authorId, group_id: groupId };
};

/** Newest first: ids are ordered by time. */
export const newestFirst = (ids: Iterable<Id>): Id[] => [...new Set(ids)].sort((a, b) => b - a);

export function without<T>(record: Record<Id, T>, ids: Iterable<Id>): Record<Id, T> {
  const copy = { ...record };
  for (const id of ids) delete copy[id];
  return copy;
}
