// Events to state: state and event in, state out.
//
// Promises: applying an event twice changes nothing (L5), nor does applying a whole write twice; an event at
// or below the seq a reply was read at is dropped for the things in that reply (L3); several events of one
// write are all applied; unconfirmed changes are not touched.
// Never: a socket, a clock, a reload.

import type { AnyEvent, EventOf } from "../wire/frames";
import { groupCreated, groupJoined, groupLeft, groupLost, groupRenamed } from "./groups";
import { accountChanged, holdUsers, profileChanged, profileCounted, userChanged, userDeleted } from "./people";
import { moodChanged, moodsOfFollowed } from "./moods";
import { keepDot, noticeCreated, noticesBack, noticesDeleted, noticesOfLost, noticesOut, noticesSeen } from "./notifications";
import { pollCounted, pollCreated, pollDeleted, pollVoted, pollsOfFollowed, pollsOfGone, pollsOfJoined, pollsOfLost } from "./polls";
import { changePost, postCreated, postDeleted, postUpdated, postsOfJoined, postsOfLost, setView } from "./posts";
import { themeKnown } from "./theme";
import { commentCreated, commentDeleted } from "./thread";
import type { Id, State } from "./state";
import { isBare, put } from "./state";

/** Applies several events, in the order they came. */
export function applyAll(state: State, events: readonly AnyEvent[]): State {
  return events.reduce(apply, state);
}

export function apply(state: State, event: AnyEvent): State {
  switch (event.ev) {
    case "posts.created":
      return postShared(state, event);
    case "posts.updated":
      return postUpdated(state, event);
    case "posts.deleted":
      return noticesOfLost(postDeleted(state, event.post_id, event.seq), (postId) => postId === event.post_id, event.seq);
    case "comments.created":
      return commentCreated(holdUsers(state, event.users, event.seq), event.comment, event.comments_count, event.seq);
    case "comments.deleted":
      return commentDeleted(
        holdUsers(state, event.users, event.seq),
        event.post_id,
        event.comment_id,
        event.comments_count,
        event.first_comments,
        event.seq,
      );
    case "votes.changed":
      return changePost(state, event.post_id, (post) =>
        event.seq < post.voteAt ? post : { ...post, vote: event.vote, voteAt: event.seq },
      );
    case "votes.counted":
      return changePost(state, event.post_id, (post) =>
        event.seq < post.positiveAt ? post : { ...post, positive_count: event.positive_count, positiveAt: event.seq },
      );
    case "follows.changed":
      return followChanged(state, event.user_id, event.following, event.seq);
    case "profiles.counted":
      return profileCounted(state, event);
    case "profiles.changed":
      return profileChanged(state, event.profile, event.seq);
    case "users.changed":
      return userChanged(state, event.user, event.seq);
    case "users.deleted":
      return personDeleted(state, event.user_id, event.seq);
    case "account.changed":
      return keepDot(state, accountChanged(state, event.me, event.seq), event.seq);
    case "notifications.created":
      return noticeCreated(state, event.notification, event.users, event.seq);
    case "notifications.deleted":
      return noticesDeleted(state, event.notification_ids, event.has_unread, event.seq);
    case "notifications.seen":
      return noticesSeen(state, event.seq);
    case "moods.changed":
      return moodChanged(state, event);
    case "polls.created":
      return pollCreated(state, event);
    case "polls.deleted":
      return pollDeleted(state, event.poll_id);
    case "polls.voted":
      return pollVoted(state, event.poll_id, event.choice, event.tally, event.seq);
    case "polls.counted":
      return pollCounted(state, event);
    case "groups.created":
      return groupCreated(state, event);
    case "groups.renamed":
      return groupRenamed(state, event);
    case "groups.joined":
      return event.user_ids.includes(state.session.me?.id ?? 0) ? cameIn(groupJoined(state, event), event.group.id, event.seq) : groupJoined(state, event);
    case "groups.left":
      return event.user_id === state.session.me?.id ? wentOut(groupLeft(state, event), event.group_id, event.seq) : groupLeft(state, event);
    case "groups.deleted":
      return wentOut(groupLost(state, event.group_id, event.seq), event.group_id, event.seq);
    case "theme.changed":
      return themeKnown(state, event.theme, event.seq);
    case "hello":
    case "beat":
      return state;
  }
}

/** Nothing of this person remains, and nothing they did is news. */
function personDeleted(state: State, userId: Id, seq: number): State {
  const without = pollsOfGone(moodsOfFollowed(state, userId, false), userId);
  // However lately it was read: nobody is there any more who could have written it.
  const next = userDeleted(without, userId, seq, (held, postId) => postDeleted(held, postId, Math.max(seq, held.posts[postId]?.thereAt ?? 0)));
  const theirs = next.notices.items.filter((one) => one.actor_id === userId).map((one) => one.id);
  return theirs.length === 0 ? next : noticesDeleted(next, theirs, null, seq);
}

/** A post is new to the viewer: an older one may have notifications that said nothing of it meanwhile. */
function postShared(state: State, event: EventOf<"posts.created">): State {
  const { post, users, seq } = event;
  const next = postCreated(holdUsers(state, users, seq), event);
  return post.updated_at_ms === post.created_at_ms ? next : noticesBack(next);
}

/** The viewer is out of a group, or it is no more: all that others shared with it goes at once. */
function wentOut(state: State, groupId: Id, seq: number): State {
  const next = pollsOfLost(postsOfLost(state, groupId, seq), groupId, seq);
  return noticesOut(noticesOfLost(next, (postId) => isOut(next, postId), seq));
}

/** What a notification of it must no longer show: of a post that went, or that is for oneself alone. */
function isOut(state: State, postId: Id): boolean {
  const post = state.posts[postId];
  return post !== undefined && (post.removed || isBare(post));
}

/** The viewer was added to a group: what is shared there comes in its time, nothing jumps in. */
const cameIn = (state: State, groupId: Id, seq: number): State => noticesBack(pollsOfJoined(postsOfJoined(state, seq), groupId, seq));

export function followChanged(state: State, userId: Id, following: boolean, at: number): State {
  const held = state.follows[userId];
  if (held !== undefined && at < held.at) return state;
  let next: State = { ...state, follows: put(state.follows, userId, { following, at }) };
  const profile = next.profiles[userId];
  if (profile !== undefined && profile.followed !== following)
    next = { ...next, profiles: put(next.profiles, userId, { ...profile, followed: following }) };
  for (const [name, view] of Object.entries(next.views)) {
    if (!name.startsWith("feed:") || at < view.asOf) continue;
    const pile = following ? view.pile : view.pile.filter((waiting) => waiting.author_id !== userId || waiting.group_id !== undefined);
    next = setView(next, name, { ...view, pile, stale: true, followsAnyone: view.followsAnyone || following });
  }
  if (at >= next.moods.asOf) next = moodsOfFollowed(next, userId, following);
  return at >= next.polls.asOf ? pollsOfFollowed(next, userId, following) : next;
}
