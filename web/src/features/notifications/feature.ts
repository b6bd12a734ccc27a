// Registers the notifications with the engine: which events add, change or delete them. Notifications of a post
// that the viewer may no longer see lose their text.

import { defineFeature } from "../../engine/feature";
import type { Id, State } from "../../engine/state";
import { isOutside } from "../shared/groups/audience";
import { isViewer } from "../shared/people/people";
import { rereadNotifications } from "./reread";
import {
  NOTIFICATIONS_VIEW,
  dotKnown,
  forgetNotificationSeqs,
  dropNotifications,
  noNotifications,
  notificationCreated,
  notificationsBack,
  notificationsDeleted,
  notificationsNoted,
  notificationsOfHidden,
  notificationsOfLeft,
  notificationsSeen,
} from "./state";

export const notifications = defineFeature({
  initial: () => ({ notifications: noNotifications() }),
  on: {
    "notifications.created": (state, { notification, users, seq }) =>
      notificationCreated(state, notification, users, seq),
    "notifications.deleted": (state, { notification_ids, has_unread, seq }) =>
      notificationsDeleted(state, notification_ids, has_unread, seq),
    "notifications.seen": (state, { seq }) => notificationsSeen(state, seq),
    "account.changed": (state, { me, seq }) =>
      isViewer(state, me.id) ? dotKnown(state, me.has_unread, seq) : state,
    // A post is new to the viewer. If it is older, it may have notifications that were without their text.
    "posts.created": (state, { post }) =>
      post.updated_at_ms === post.created_at_ms ? state : notificationsBack(state),
    "posts.updated": (state, { post_id, content_note }) => notificationsNoted(state, post_id, content_note),
    "posts.deleted": (state, { post_id, seq }) => notificationsOfHidden(state, (id) => id === post_id, seq),
    "groups.joined": (state, { user_ids }) =>
      isViewer(state, ...user_ids) ? notificationsBack(state) : state,
    "groups.left": (state, { user_id, seq }) => (isViewer(state, user_id) ? withoutLost(state, seq) : state),
    "groups.deleted": (state, { seq }) => withoutLost(state, seq),
    "users.deleted": (state, { user_id, seq }) => {
      const theirs = state.notifications.items.filter((one) => one.actor_id === user_id).map((one) => one.id);
      return theirs.length === 0 ? state : notificationsDeleted(state, theirs, null, seq);
    },
  },
  evict: (state, shown) => (shown.views.has(NOTIFICATIONS_VIEW) ? state : dropNotifications(state)),
  users: ({ notifications }) => notifications.items.map((one) => one.actor_id),
  forgetSeqs: (state) => forgetNotificationSeqs(state),
  reread: (tools, { notifications }) => rereadNotifications(tools, notifications.items.length),
});

/**
 * The viewer is no longer in a group. Notifications of posts that are hidden or only for their author lose
 * their text.
 */
const withoutLost = (state: State, seq: number): State =>
  notificationsOfLeft(notificationsOfHidden(state, (postId) => isOut(state, postId), seq));

function isOut(state: State, postId: Id): boolean {
  const post = state.posts[postId];
  return post !== undefined && (post.removed || isOutside(post));
}
