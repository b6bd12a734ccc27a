// Notifications: what others did that concerns the viewer, and the dot for those that are new.
//
// Promises: the dot shows the newest fact, whichever way it came (hello, event, page); an older fact never
// overwrites a newer one. A deleted notification does not come back with a late page. If the viewer may no
// longer see the post of a notification, its line stays without text and link. At most NOTIFICATIONS_MAX are
// held, and none while no screen shows them.

import type { Notification, User } from "../../engine/types.gen";
import { storeUsers, isGone } from "../shared/people/people";
import type { Id, State } from "../../engine/state";
import { DELETIONS_MAX, asRead } from "../../engine/state";

/** The server keeps no more for one person. */
export const NOTIFICATIONS_MAX = 300;

/** What a screen holds while it shows them. */
export const NOTIFICATIONS_VIEW = "notifications";

/** `at`: as of when it is known. */
export type NotificationEntry = Notification & { at: number };

export type NotificationsState = {
  /** Newest first. */
  items: NotificationEntry[];
  older: Id | null;
  status: "none" | "loading" | "ready" | "failed";
  loadingOlder: boolean;
  asOf: number;
  /** As of when `session.me.has_unread` is known. */
  dotAt: number;
  /** As of when all there were then are seen. */
  seenAt: number;
  /** New when they were listed: they look so for as long as the list stays on screen. */
  fresh: Record<Id, true>;
  /** Known to be gone. */
  gone: Record<Id, true>;
  /** What some of them may show has changed in a way only the server knows: read again. */
  stale: boolean;
  /** Asked and not answered yet: so many times that all were seen, and these to be deleted. */
  looks: number;
  deletes: Id[];
};

declare module "../../engine/state" {
  interface State {
    /** What others did that concerns the viewer. */
    notifications: NotificationsState;
  }
}

export const noNotifications = (): NotificationsState => ({
  items: [],
  older: null,
  status: "none",
  loadingOlder: false,
  asOf: 0,
  dotAt: 0,
  seenAt: 0,
  fresh: {},
  gone: {},
  stale: false,
  looks: 0,
  deletes: [],
});

/** Whether the bell has its dot. It goes at the moment when the notifications are opened. */
export const hasDot = ({ session, notifications }: State): boolean =>
  session.me?.has_unread === true && notifications.looks === 0;

/** Changes the slice. */
export function note(state: State, changes: Partial<NotificationsState>): State {
  return { ...state, notifications: { ...state.notifications, ...changes } };
}

/** Whether something is unseen. */
export function dotKnown(state: State, hasUnread: boolean, at: number): State {
  const { me } = state.session;
  if (me === null || at < state.notifications.dotAt) return state;
  const next = note(state, { dotAt: at });
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
  const { status, items, asOf, gone, fresh } = next.notifications;
  const listens = status === "loading" || status === "ready";
  if (!listens || seq < asOf || gone[notification.id] || items.some((one) => one.id === notification.id))
    return next;
  return note(storeUsers(next, users, seq), {
    items: inOrder([{ ...notification, at: seq }, ...items]),
    fresh: { ...fresh, [notification.id]: true },
  });
}

/** All there are were seen, here or on another device. */
export function notificationsSeen(state: State, seq: number): State {
  const next = dotKnown(state, false, seq);
  if (seq <= next.notifications.seenAt) return next;
  const items = next.notifications.items.map((one) =>
    one.unread && one.at <= seq ? { ...one, unread: false } : one,
  );
  return note(next, { items, seenAt: seq });
}

/** These are gone; null: what that makes of the dot is reported elsewhere. */
export function notificationsDeleted(
  state: State,
  ids: readonly Id[],
  hasUnread: boolean | null,
  seq: number,
): State {
  const next = hasUnread === null ? state : dotKnown(state, hasUnread, seq);
  const { items, gone, deletes } = next.notifications;
  const left = items.filter((one) => !ids.includes(one.id));
  return note(next, {
    gone: Object.fromEntries(
      [...Object.keys(gone).map(Number), ...ids].slice(-DELETIONS_MAX).map((id) => [id, true as const]),
    ),
    items: left.length < items.length ? left : items,
    deletes: deletes.filter((id) => !ids.includes(id)),
  });
}

/** What these posts say, and what is said below them, is no longer for the viewer, as of `seq`. */
export function notificationsOfLost(state: State, isLost: (postId: Id) => boolean, seq: number): State {
  const { items } = state.notifications;
  const left = items.map((one) =>
    one.post_id !== null && one.at <= seq && isLost(one.post_id) ? quiet(one, seq) : one,
  );
  return left.every((one, at) => one === items[at]) ? state : note(state, { items: left });
}

const quiet = (notice: NotificationEntry, at: number): NotificationEntry => ({
  ...notice,
  post_id: null,
  comment_id: null,
  comment_text: null,
  post_text: null,
  at,
});

/** The viewer is out of a group: comments under posts that are not held here may belong to it. */
export function notificationsOfLeft(state: State): State {
  return doubted(state, ({ post_id }) => post_id !== null && state.posts[post_id] === undefined);
}

/** The viewer may see again what was withheld: lines may have their words and their way back. */
export function notificationsBack(state: State): State {
  return doubted(state, ({ kind, post_id }) => kind !== "follow" && post_id === null);
}

function doubted(state: State, isDoubtful: (notice: NotificationEntry) => boolean): State {
  const { status, items } = state.notifications;
  const isStale = status === "loading" || (status === "ready" && items.some(isDoubtful));
  return isStale ? note(state, { stale: true }) : state;
}

export type NotificationsPage = {
  notifications: Notification[];
  users: User[];
  older: Id | null;
  has_unread: boolean;
  seq: number;
};

/** The newest, as they were read. What came after that stays. */
export function loadNotifications(state: State, page: NotificationsPage): State {
  const at = asRead(page.seq);
  const later = state.notifications.items.filter((one) => one.at > at);
  return taken(state, page, later, { status: "ready", asOf: at });
}

/** The next page, behind what is listed; nothing when it continues from somewhere else. */
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
  const read = page.notifications.filter((one) => !gone[one.id] && !isGone(next, one.actor_id));
  const all = inOrder([...kept, ...read.map((one) => ({ ...one, unread: one.unread && at >= seenAt, at }))]);
  const marks = read.filter((one) => one.unread).map((one) => [one.id, true as const]);
  return note(next, {
    ...changes,
    items: all,
    // The server forgets what lies beyond.
    older: all.length < NOTIFICATIONS_MAX ? page.older : null,
    fresh: { ...fresh, ...Object.fromEntries(marks) },
  });
}

/** Nothing shows them: the dot stays known, and what is under way goes on. */
export function dropNotifications(state: State): State {
  if (state.notifications.status === "none") return state;
  const { dotAt, seenAt, gone, looks, deletes } = state.notifications;
  return { ...state, notifications: { ...noNotifications(), dotAt, seenAt, gone, looks, deletes } };
}

/** Seqs of another epoch mean nothing. */
export function forgetNotificationSeqs(state: State): State {
  const items = state.notifications.items.map((one) => ({ ...one, at: 0 }));
  return note(state, { items, asOf: 0, dotAt: 0, seenAt: 0, gone: {} });
}

/** Each once, newest first; the first of two is kept. */
function inOrder(items: readonly NotificationEntry[]): NotificationEntry[] {
  const each = new Map<Id, NotificationEntry>();
  for (const one of items) if (!each.has(one.id)) each.set(one.id, one);
  return [...each.values()].sort((a, b) => b.id - a.id).slice(0, NOTIFICATIONS_MAX);
}
