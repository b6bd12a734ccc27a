// Test fixtures: a client with a manual clock and a fake server, and factories of small entities.

import { FakeSocket, ManualClock } from "./fakeSocket";
import type { AnyEvent } from "../engine/frames";
import type {
  Audience,
  Comment,
  Day,
  Group,
  GroupName,
  Me,
  Mood,
  Picture,
  Poll,
  PollView,
  Post,
  PostView,
  ProfileView,
  Theme,
  User,
} from "../engine/types.gen";
import { Client } from "../engine/client";
import type { State } from "../engine/state";
import { emptyState } from "../engine/feature";
import { forgetSeqs } from "../engine/resync";
import { groupOf } from "../features/shared/groups/audience";
import { newestFirst } from "../engine/state";
import type { GroupEntry } from "../features/shared/groups/groups";
import { groupNameOf, groupsListed } from "../features/shared/groups/groups";
import { myGroups } from "../features/shared/groups/useGroups";
import { loadFirstPage } from "../features/shared/posts/read";
import { SAVED_VIEW } from "../features/shared/posts/types";
import { mentionPieces, wordsOf } from "../features/shared/mentions";
import { hasDot } from "../features/notifications/state";
import { makeStore } from "../engine/store";

export const ANA: User = { id: 1, name: "Ana", photo_url: null };
export const BEN: User = { id: 2, name: "Ben", photo_url: null };

/** What Ana's own tabs know of her account. */
export const aMe = (more: Partial<Me> = {}): Me => ({
  ...ANA,
  email: "ana@example.org",
  pending_email: null,
  hide_numbers: false,
  listed: true,
  first_steps: null,
  inviter: null,
  has_unread: false,
  adders: "followers",
  commenters: "everyone",
  is_admin: false,
  has_reports: false,
  language: null,
  shown_language: "en",
  quiet_hours: null,
  quiet_until_ms: null,
  ...more,
});

/** Ben's profile for a viewer who does not follow him. */
export function aProfile(more: Partial<ProfileView> = {}): ProfileView {
  return {
    ...BEN,
    bio: "",
    photo: null,
    from_color: "blue",
    to_color: "blue",
    created_at_ms: 1,
    followers_count: 1,
    following_count: 2,
    followed: false,
    can_be_added: true,
    follows_me: false,
    muted: false,
    ...more,
  };
}

export function aComment(id: number, more: Partial<Comment> = {}): Comment {
  return { id, post_id: 100, author_id: BEN.id, text: `comment ${id}`, created_at_ms: id, ...more };
}

export function aPicture(n = 1, more: Partial<Picture> = {}): Picture {
  const url = `/media/posts/2/1_${n}_a.jpg`;
  return {
    alt: "",
    width: 1600,
    height: 1200,
    thumbhash: "1QcSHQRnh493V4dIh4eXh1h4kJUI",
    url: `${url}?token=t`,
    card_url: `${url}?token=t&size=card`,
    motion_url: null,
    ...more,
  };
}

export function aPost(id: number, more: Partial<Post> = {}): Post {
  return {
    id,
    author_id: BEN.id,
    title: null,
    text: `post ${id}`,
    tag: null,
    tag_key: null,
    content_note: null,
    audience: { type: "public" },
    pictures: [],
    created_at_ms: id,
    updated_at_ms: id,
    imported: false,
    comments_count: 0,
    first_comments: [],
    ...more,
  };
}

export function aView(id: number, more: Partial<PostView> = {}): PostView {
  const own = { vote: "none", saved: false, positive_count: null, comments_only_for: null } as const;
  return { ...aPost(id), ...own, ...more };
}

/** Ana and Ben are in it. */
export const FAMILY: GroupName = { id: 50, name: "Family", owner_id: 2 };
export const aGroup = (more: Partial<Group> = {}): Group => ({
  ...FAMILY,
  members_count: 2,
  created_at_ms: 50,
  ...more,
});
export const toFamily: Audience = { type: "group", group_id: FAMILY.id };

/** What a user shared this morning; it expires one hour into the tests' day. */
export const aMood = (user_id: number, more: Partial<Mood> = {}): Mood => ({
  user_id,
  morning: "Cozy",
  evening: null,
  made_at_ms: user_id,
  expires_at_ms: 3_600_000,
  ...more,
});

/** A morning on which nothing was shared yet. */
export const aDay = (more: Partial<Day> = {}): Day => ({
  slot: "morning",
  slot_ends_at_ms: 1_800_000,
  open: true,
  morning: null,
  evening: null,
  ...more,
});

/** Ben asks about tea. */
export const aPoll = (id: number, more: Partial<Poll> = {}): Poll => ({
  id,
  creator_id: BEN.id,
  question: `question ${id}`,
  options: ["Tea", "Coffee"],
  audience: { type: "public" },
  created_at_ms: id,
  closes_at_ms: id + 604_800_000,
  ...more,
});

export const aPollView = (id: number, more: Partial<PollView> = {}): PollView => ({
  ...aPoll(id),
  choice: null,
  tally: null,
  ...more,
});

export const aTheme = (more: Partial<Theme> = {}): Theme => ({
  day: "2026-11-21",
  title: "Small joys",
  description: "What made you smile?",
  tag: "smalljoys",
  own: null,
  ...more,
});

/** Ana is signed in and her feed shows these posts as of `seq`. */
export function anasFeed(posts: PostView[], seq = 10): State {
  const start: State = { ...emptyState(), session: { phase: "signed-in", me: aMe() } };
  return loadFirstPage(start, "feed:", {
    posts,
    users: [ANA, BEN],
    groups: [],
    older: null,
    follows_anyone: true,
    seq,
  });
}

/** A state in which these groups were read. */
export const inGroups = (state: State, ...groups: Group[]): State =>
  groupsListed(state, { groups, users: [ANA, BEN], seq: 10 });

/** The parts of the state that `visible` leaves out, by the reason. */
const LEFT_OUT: (keyof State)[][] = [
  // These belong to the connection. The tapes compare the account themselves, if they begin with `hello`.
  ["session", "connection", "build", "backups", "connections", "resyncs"],
  // These belong to one tab: a fresh page has none of them.
  ["pending", "kept", "notSent", "opened", "drafts", "meant", "edits", "profileEdit"],
  // Compared where another entry names them. They may be held longer.
  ["users", "comments"],
  // A page knows only those that it met. Its profiles say whom the viewer follows and mutes.
  ["follows", "hidden"],
  // These are seqs, and ids that are remembered against late replies.
  ["renamedAt", "goneAt", "deletedComments", "changedAt"],
];

/** Returns the posts of a list, the newest first. Saved posts stay in their own order. */
const inOrder = (name: string, ids: number[]): number[] =>
  name === SAVED_VIEW ? ids : ids.sort((a, b) => b - a);

/** For a part that refers to other parts, or holds more than a person sees: what a person sees of it. */
const SEEN: { readonly [K in keyof State]?: (state: State) => unknown } = {
  posts: (state) =>
    Object.values(state.posts).map(({ groupGone: _g, thread, ...post }) => ({
      ...post,
      sharedWith: groupNameOf(state, groupOf(post.audience) ?? 0),
      author: state.users[post.author_id],
      thread: thread.map((id) => ({
        ...state.comments[id],
        author: state.users[state.comments[id]?.author_id ?? 0],
        // The label of a user who has no account is plain text, in whichever form it was sent.
        text: mentionPieces(state.comments[id]?.text ?? "")
          .map((piece) =>
            "words" in piece ? piece.words : `@${state.users[piece.id]?.name ?? wordsOf(piece.label)}`,
          )
          .join(""),
      })),
    })),
  views: (state) =>
    Object.entries(state.views)
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([name, view]) => [
        name,
        inOrder(name, [
          ...view.waiting.map((one) => one.id),
          ...view.ids.filter((id) => !state.posts[id]?.removed),
        ]),
      ]),
  notifications: (state) => ({
    hasDot: hasDot(state),
    items: state.notifications.items.map((one) => ({ ...one, actor: state.users[one.actor_id] })),
  }),
  moods: ({ moods: { mine, list }, users }) => ({
    mine,
    list: list.map((mood) => ({ ...mood, of: users[mood.user_id] })).sort((a, b) => a.user_id - b.user_id),
  }),
  polls: (state) => {
    const { ids, items, waiting } = state.polls;
    return newestFirst([...ids, ...waiting.map((one) => one.id)])
      .filter((id) => items[id]?.removed !== true)
      .map((id) => {
        const held = items[id];
        if (held === undefined) return id;
        const { subscribed: _h, closed: _c, removed: _r, ...poll } = held;
        return {
          ...poll,
          sharedWith: groupNameOf(state, groupOf(poll.audience) ?? 0),
          of: state.users[poll.creator_id],
        };
      });
  },
  groups: (state) =>
    myGroups(state).map((one) => {
      const { members, ...known } = state.groups.items[one.id] as GroupEntry;
      const named = members?.map((id) => state.users[id]) ?? null;
      // Its owner first, then in the order they were added.
      return { ...known, name: one.name, of: state.users[known.owner_id], members: named };
    }),
};

/**
 * What a person could see, without the seqs underneath: two states that look alike are equal here. A part of the state
 * that neither list above names is compared as a whole.
 */
export function visible(state: State): unknown {
  const seqless = forgetSeqs(state);
  const parts = (Object.keys(seqless) as (keyof State)[]).filter((part) => !LEFT_OUT.flat().includes(part));
  return Object.fromEntries(parts.map((part) => [part, SEEN[part]?.(seqless) ?? seqless[part]]));
}

export type TestTab = {
  client: Client;
  wires: FakeSocket[];
  wire(): FakeSocket;
  clock: ManualClock;
  page: FakePage;
};
export type FakePage = {
  hintIs: string | null;
  isOver: boolean;
  /** The browser has logged out, and the server does not know yet. */
  isLeaving: boolean;
  loginsAnnounced: number;
  /** How many times the user was told that the login was not kept. */
  notKept: number;
  /** Paths whose requests fail. */
  refuses: string[];
  keepsCookies: boolean;
  /** Whose cookie `/session` sets. */
  logsIn: string;
  posted: [string, string][];
  at: string;
  forgot: number[];
};

/** One tab: its client, its clock, and the server's ends of its sockets. */
export function aTab(hint: string | null = "1"): TestTab {
  const clock = new ManualClock();
  const wires: FakeSocket[] = [];
  const page: FakePage = {
    hintIs: hint,
    isOver: false,
    isLeaving: false,
    loginsAnnounced: 0,
    notKept: 0,
    refuses: [],
    keepsCookies: true,
    logsIn: "1",
    posted: [],
    at: "/here",
    forgot: [],
  };
  const client = new Client({
    store: makeStore(),
    clock,
    soon: (run) => run(),
    open: () => {
      const wire = new FakeSocket();
      wires.push(wire);
      return wire;
    },
    page: {
      hint: () => page.hintIs,
      announcedHint: () => page.hintIs,
      setHint: () => undefined,
      hasLoginEnded: () => page.isOver,
      markLoginEnded: () => {
        page.hintIs = null;
        page.isOver = true;
      },
      announceLogin: () => {
        page.loginsAnnounced += 1;
      },
      markLeaving: () => Object.assign(page, { hintIs: null, isOver: false, isLeaving: true }),
      isLeaving: () => page.hintIs === null && page.isLeaving,
      markLeft: () => {
        page.isLeaving = false;
      },
      post: (path, body) => {
        page.posted.push([path, body]);
        if (page.refuses.includes(path)) return Promise.resolve(false);
        if (path === "/session" && page.keepsCookies) page.hintIs = page.logsIn;
        return Promise.resolve(true);
      },
      navigate: (path) => {
        page.at = path;
      },
      forget: (userId) => {
        page.forgot.push(userId);
      },
      notKept: () => {
        page.notKept += 1;
      },
    },
  });
  return { client, wires, wire: () => wires[wires.length - 1] as FakeSocket, clock, page };
}

/** A tab whose person is signed in and whose connection is live. */
export function aLiveTab(): TestTab {
  const tab = aTab();
  tab.client.login.open();
  tab.wire().hello();
  return tab;
}

/** Ben edits post 100. */
export const anEdit = (seq: number, more: object = {}): AnyEvent => ({
  ev: "posts.updated",
  seq,
  post_id: 100,
  author_id: BEN.id,
  title: null,
  text: "again",
  content_note: null,
  audience: { type: "public" },
  groups: [],
  updated_at_ms: 500 + seq,
  ...more,
});

/** Ben deletes a post. */
export const aDeletion = (seq: number, post_id = 100): AnyEvent => ({
  ev: "posts.deleted",
  seq,
  post_id,
  author_id: BEN.id,
});

export const created = (seq: number, post: Post, groups: GroupName[] = []): AnyEvent => ({
  ev: "posts.created",
  seq,
  post,
  users: [BEN],
  groups,
});
