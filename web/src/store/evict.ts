// Keeping the store small: what no screen shows is let go, and the server is told to stop telling.
//
// Promises: a post that a shown list or page holds stays; at most POSTS_MAX posts and COMMENTS_MAX
// comments remain, whatever the day brings.

import { GROUPS_VIEW, letGoMembers } from "./groups";
import { mentioned } from "./mentions";
import { MOODS_VIEW, noMoods } from "./moods";
import { NOTICES_VIEW, letGoNotices } from "./notifications";
import { POLLS_VIEW, noPolls } from "./polls";
import type { Id, State } from "./state";
import { COMMENTS_MAX, POSTS_MAX, feedView, without } from "./state";

/** What the screens hold at this moment. */
export type Shown = { views: ReadonlySet<string>; posts: ReadonlySet<Id>; profiles: ReadonlySet<Id>; people: ReadonlySet<Id> };

export type Evicted = { state: State; posts: Id[]; profiles: Id[]; polls: Id[] };

/** Your Space is kept while other screens are open, so that coming back finds the same place. */
const HOME = feedView(null);

export function evict(state: State, shown: Shown): Evicted {
  const views = Object.fromEntries(Object.entries(state.views).filter(([name]) => name === HOME || shown.views.has(name)));
  const kept = new Set<Id>(shown.posts);
  for (const name of shown.views) for (const id of views[name]?.ids ?? []) kept.add(id);
  const home = views[HOME];
  if (home !== undefined && !shown.views.has(HOME)) {
    // Off screen, the list gives up its oldest end first.
    const room = Math.max(30, POSTS_MAX - kept.size);
    const ids = home.ids.slice(0, room);
    if (ids.length < home.ids.length) views[HOME] = { ...home, ids, older: ids[ids.length - 1] ?? null };
    for (const id of ids) kept.add(id);
  }
  const gonePosts = Object.keys(state.posts).map(Number).filter((id) => !kept.has(id));
  const goneProfiles = Object.keys(state.profiles).map(Number).filter((id) => !shown.profiles.has(id));
  let next: State = { ...(shown.views.has(NOTICES_VIEW) ? state : letGoNotices(state)), views };
  // What is on its way stays known until it has arrived.
  if (state.moods.status !== "none" && !shown.views.has(MOODS_VIEW)) next = { ...next, moods: { ...noMoods(), sending: state.moods.sending } };
  const letsGoPolls = state.polls.status !== "none" && !shown.views.has(POLLS_VIEW);
  // The words of a poll that is being written stay for the session.
  if (letsGoPolls) next = { ...next, polls: { ...noPolls(), casting: state.polls.casting, draft: state.polls.draft } };
  if (!shown.views.has(GROUPS_VIEW)) next = letGoMembers(next);
  if (goneProfiles.length > 0) next = { ...next, profiles: without(next.profiles, goneProfiles) };
  if (gonePosts.length > 0) next = { ...next, posts: without(next.posts, gonePosts), opened: openedOf(next.opened, kept) };
  return { state: sweep(trimThreads(next), shown.people), posts: gonePosts, profiles: goneProfiles, polls: letsGoPolls ? state.polls.ids : [] };
}

/** Threads that nobody has opened whole go back to their two oldest when there are too many comments. */
export function trimThreads(state: State): State {
  if (Object.keys(state.comments).length <= COMMENTS_MAX) return state;
  const posts = { ...state.posts };
  for (const post of Object.values(posts))
    if (post.thread.length > 2 && !isOpenedWhole(state, post.id)) posts[post.id] = { ...post, thread: post.thread.slice(0, 2) };
  return sweep({ ...state, posts });
}

function isOpenedWhole(state: State, postId: Id): boolean {
  return state.opened[`card:${postId}`] === "all" || state.opened[`page:${postId}`] === "all";
}

function openedOf(opened: State["opened"], kept: ReadonlySet<Id>): State["opened"] {
  return Object.fromEntries(Object.entries(opened).filter(([place]) => kept.has(Number(place.slice(place.indexOf(":") + 1)))));
}

/** Forgets comments that nothing refers to and, where it is said whose names are shown, names too. */
function sweep(state: State, people: ReadonlySet<Id> = new Set(Object.keys(state.users).map(Number))): State {
  const comments: State["comments"] = {};
  const users: State["users"] = {};
  const keepUser = (id: Id) => {
    const user = state.users[id];
    if (user !== undefined) users[id] = user;
  };
  for (const post of Object.values(state.posts)) {
    keepUser(post.author_id);
    for (const id of post.thread) {
      const comment = state.comments[id];
      if (comment === undefined) continue;
      comments[id] = comment;
      keepUser(comment.author_id);
      for (const meant of mentioned(comment.text)) keepUser(meant);
    }
  }
  for (const { text } of state.pending.comments) for (const id of mentioned(text)) keepUser(id);
  for (const meant of Object.values(state.meant)) for (const { id } of meant) keepUser(id);
  for (const { actor_id } of state.notices.items) keepUser(actor_id);
  for (const { owner_id, members } of Object.values(state.groups.items)) for (const id of members ?? [owner_id]) keepUser(id);
  for (const id of Object.keys(state.profiles)) keepUser(Number(id));
  for (const id of people) keepUser(id);
  const me = state.session.me;
  if (me !== null) keepUser(me.id);
  return { ...state, comments, users };
}
