// The viewer's notifications, and the dot for new ones.
//
// Promises: the dot shows the newest state, whether it came from `hello`, an event or a page. An older state
// never overwrites a newer one. A deleted notification does not return with a late page. If the viewer may no
// longer see the post of a notification, its line stays without text and link. Only the server decides when
// there are too many, and it says which one it deleted. None are held while no screen shows them.

import type { Notification, User } from "../../engine/types.gen";
import { storeUsers, isGone } from "../shared/people/people";
import type { Id, State } from "../../engine/state";
import { DELETIONS_MAX, asRead } from "../../engine/state";

/** The view that a screen with notifications registers. */
export const NOTIFICATIONS_VIEW = "notifications";

/** `at`: the seq as of which the notification is known. */
export type NotificationEntry = Notification & { at: number };

export type NotificationsState = {
  /** Newest first. */
  items: NotificationEntry[];
  older: Id | null;
  status: "none" | "loading" | "ready" | "failed";
  loadingOlder: boolean;
  asOf: number;
  /** The newest id of the page that was read. Newer ones arrived while the list was shown. */
  listed: Id;
  /** The seq as of which `session.me.has_unread` is known. */
  dotAt: number;
  /** The seq up to which all notifications are seen. */
  seenAt: number;
  /** Notifications that were new when they were listed. They look new while the list is on screen. */
  fresh: Record<Id, true>;
  /** Deleted notifications, with the seq of the deletion, because the notification of a follow may return. */
  gone: Record<Id, number>;
  /** The list must be read again, because only the server knows which notifications may show their text. */
  stale: boolean;
  /** Unanswered requests: how many `notifications.read`, and (`deletes`) the ids that are being deleted. */
  looks: number;
  deletes: Id[];
};

declare module "../../engine/state" {
  interface State {
    /** The notifications of the viewer. */
    notifications: NotificationsState;
  }
}

export const noNotifications = (): NotificationsState => ({
  items: [],
  older: null,
  status: "none",
  loadingOlder: false,
  asOf: 0,
  listed: 0,
  dotAt: 0,
  seenAt: 0,
  fresh: {},
  gone: {},
  stale: false,
  looks: 0,
  deletes: [],
});

/** Returns whether the bell has its dot. The dot disappears as soon as the notifications are opened. */
export const hasDot = ({ session, notifications }: State): boolean =>
  session.me?.has_unread === true && notifications.looks === 0;

/** Changes the notifications of the state. */
export function setNotifications(state: State, changes: Partial<NotificationsState>): State {
  return { ...state, notifications: { ...state.notifications, ...changes } };
}

/** Sets whether a notification is unseen, as of a seq. */
export function dotKnown(state: State, hasUnread: boolean, at: number): State {
  const { me } = state.session;
  if (me === null || at < state.notifications.dotAt) return state;
  const next = setNotifications(state, { dotAt: at });
  return me.has_unread === hasUnread
    ? next
    : { ...next, session: { ...next.session, me: { ...me, has_unread: hasUnread } } };
}

export function notificationCreated(
  state: State,
  notification: Notification,
  users: readonly User[],
  seq: number,
): State {
  const next = dotKnown(state, true, seq);
  const { status, items, asOf, gone, fresh, older } = next.notifications;
  const { id } = notification;
  const listens = status === "loading" || status === "ready";
  if (!listens || seq < asOf || seq <= (gone[id] ?? 0) || items.some((one) => one.id === id)) return next;
  // A notification that returns may belong to a page that is not read yet.
  if (older !== null && id < older) return next;
  return setNotifications(storeUsers(next, users, seq), {
    items: inOrder([{ ...notification, at: seq }, ...items]),
    fresh: { ...fresh, [notification.id]: true },
  });
}

/** All notifications were seen, here or on another device. */
export function notificationsSeen(state: State, seq: number): State {
  const next = dotKnown(state, false, seq);
  if (seq <= next.notifications.seenAt) return next;
  const items = next.notifications.items.map((one) =>
    one.unread && one.at <= seq ? { ...one, unread: false } : one,
  );
  return setNotifications(next, { items, seenAt: seq });
}

/** These notifications were deleted. With `hasUnread` null the dot does not change. */
export function notificationsDeleted(
  state: State,
  ids: readonly Id[],
  hasUnread: boolean | null,
  seq: number,
): State {
  const next = hasUnread === null ? state : dotKnown(state, hasUnread, seq);
  const { items, gone, deletes } = next.notifications;
  const left = items.filter((one) => !ids.includes(one.id));
  return setNotifications(next, {
    gone: Object.fromEntries(
      [...Object.entries(gone), ...ids.map((id) => [id, seq] as const)].slice(-DELETIONS_MAX),
    ),
    items: left.length < items.length ? left : items,
    deletes: deletes.filter((id) => !ids.includes(id)),
  });
}

/**
 * The viewer may no longer see these posts and their comments, as of `seq`. Their notifications lose the
 * text.
 */
export function notificationsOfHidden(state: State, isHidden: (postId: Id) => boolean, seq: number): State {
  const { items } = state.notifications;
  const left = items.map((one) =>
    one.post_id !== null && one.at <= seq && isHidden(one.post_id) ? quiet(one, seq) : one,
  );
  return left.every((one, at) => one === items[at]) ? state : setNotifications(state, { items: left });
}

const quiet = (notice: NotificationEntry, at: number): NotificationEntry => ({
  ...notice,
  post_id: null,
  comment_id: null,
  comment_text: null,
  post_text: null,
  content_note: null,
  at,
});

/**
 * The viewer is no longer in a group. The notifications are read again, because those of posts that are not
 * held may belong to it.
 */
export function notificationsOfLeft(state: State): State {
  return doubted(state, ({ post_id }) => post_id !== null && state.posts[post_id] === undefined);
}

/**
 * The viewer may see a post again. The notifications are read again, because those without text may have
 * their text and link again.
 */
export function notificationsBack(state: State): State {
  return doubted(state, ({ kind, post_id }) => kind !== "follow" && post_id === null);
}

/**
 * A post has another content note, or none any more. The notifications are read again, because they quote the note in
 * place of the texts, which only the server has.
 */
export function notificationsNoted(state: State, postId: Id, note: string | null): State {
  return doubted(state, (one) => one.post_id === postId && one.content_note !== note);
}

function doubted(state: State, isDoubtful: (notice: NotificationEntry) => boolean): State {
  const { status, items } = state.notifications;
  const isStale = status === "loading" || (status === "ready" && items.some(isDoubtful));
  return isStale ? setNotifications(state, { stale: true }) : state;
}

export type NotificationsPage = {
  notifications: Notification[];
  users: User[];
  older: Id | null;
  has_unread: boolean;
  seq: number;
};

/** Applies the newest page. Notifications of later events stay, and count as listed with it. */
export function loadNotifications(state: State, page: NotificationsPage): State {
  const at = asRead(page.seq);
  const later = state.notifications.items.filter((one) => one.at > at);
  const next = taken(state, page, later, { status: "ready", asOf: at });
  return setNotifications(next, { listed: next.notifications.items[0]?.id ?? 0 });
}

/** Adds the next page after the listed ones. Does nothing if the page does not continue the list. */
export function loadOlderNotifications(state: State, before: Id, page: NotificationsPage): State {
  if (state.notifications.older !== before) return state;
  return taken(state, page, state.notifications.items, { loadingOlder: false });
}

function taken(
  state: State,
  page: NotificationsPage,
  kept: readonly NotificationEntry[],
  changes: Partial<NotificationsState>,
): State {
  const at = asRead(page.seq);
  const next = dotKnown(storeUsers(state, page.users, page.seq), page.has_unread, at);
  const { gone, seenAt, fresh } = next.notifications;
  const read = page.notifications.filter((one) => at > (gone[one.id] ?? 0) && !isGone(next, one.actor_id));
  const all = inOrder([...kept, ...read.map((one) => ({ ...one, unread: one.unread && at >= seenAt, at }))]);
  const marks = read.filter((one) => one.unread).map((one) => [one.id, true as const]);
  return setNotifications(next, {
    ...changes,
    items: all,
    older: page.older,
    fresh: { ...fresh, ...Object.fromEntries(marks) },
  });
}

/** No screen shows the notifications. The dot and unanswered requests stay. */
export function dropNotifications(state: State): State {
  if (state.notifications.status === "none") return state;
  const { dotAt, seenAt, gone, looks, deletes } = state.notifications;
  return { ...state, notifications: { ...noNotifications(), dotAt, seenAt, gone, looks, deletes } };
}

/** Forgets the seqs of the old epoch. */
export function forgetNotificationSeqs(state: State): State {
  const items = state.notifications.items.map((one) => ({ ...one, at: 0 }));
  return setNotifications(state, { items, asOf: 0, dotAt: 0, seenAt: 0, gone: {} });
}

/** Sorts notifications, the newest first, and drops duplicates. Of two with the same id the first is kept. */
function inOrder(items: readonly NotificationEntry[]): NotificationEntry[] {
  const each = new Map<Id, NotificationEntry>();
  for (const one of items) if (!each.has(one.id)) each.set(one.id, one);
  return [...each.values()].sort((a, b) => b.id - a.id);
}
