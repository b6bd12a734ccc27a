// Notifications: what others did that concerns the viewer, and the dot that says that some of it is new.
//
// Promises: the dot is what was told last, by whichever way it came (hello, event, page): an older fact
// never overwrites a newer one. What is gone does not come back with a late page. What is no longer for
// the viewer keeps its line and loses its words and its way there. At most NOTICES_MAX are held, and none
// while no screen shows them.

import type { Notification, User } from "../wire/types.gen";
import { holdUsers, isGone } from "./people";
import type { Id, State } from "./state";
import { DELETIONS_MAX, asRead } from "./state";

/** The server keeps no more for one person. */
export const NOTICES_MAX = 300;

/** What a screen holds while it shows them. */
export const NOTICES_VIEW = "notifications";

/** `at`: as of when it is known. */
export type Notice = Notification & { at: number };

export type Notices = {
  /** Newest first. */
  items: Notice[];
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

export const noNotices = (): Notices => ({
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

/** Whether the bell has its dot: not from the moment on when somebody looks. */
export const hasDot = ({ session, notices }: State): boolean => session.me?.has_unread === true && notices.looks === 0;

/** Changes the slice. */
export function note(state: State, changes: Partial<Notices>): State {
  return { ...state, notices: { ...state.notices, ...changes } };
}

/** Whether something is unseen. */
export function dotKnown(state: State, hasUnread: boolean, at: number): State {
  const { me } = state.session;
  if (me === null || at < state.notices.dotAt) return state;
  const next = note(state, { dotAt: at });
  return me.has_unread === hasUnread ? next : { ...next, session: { ...next.session, me: { ...me, has_unread: hasUnread } } };
}

/** The account was told whole, as of `seq`; the dot in it may be older than what is known. */
export function keepDot(before: State, after: State, seq: number): State {
  const was = before.session.me;
  const { me } = after.session;
  if (was === null || me === null || me === was) return after;
  if (seq >= before.notices.dotAt) return note(after, { dotAt: seq });
  return { ...after, session: { ...after.session, me: { ...me, has_unread: was.has_unread } } };
}

export function noticeCreated(state: State, notification: Notification, users: readonly User[], seq: number): State {
  const next = dotKnown(state, true, seq);
  const { status, items, asOf, gone, fresh } = next.notices;
  const listens = status === "loading" || status === "ready";
  if (!listens || seq < asOf || gone[notification.id] || items.some((one) => one.id === notification.id)) return next;
  return note(holdUsers(next, users, seq), {
    items: inOrder([{ ...notification, at: seq }, ...items]),
    fresh: { ...fresh, [notification.id]: true },
  });
}

/** All there are were seen, here or on another device. */
export function noticesSeen(state: State, seq: number): State {
  const next = dotKnown(state, false, seq);
  if (seq <= next.notices.seenAt) return next;
  const items = next.notices.items.map((one) => (one.unread && one.at <= seq ? { ...one, unread: false } : one));
  return note(next, { items, seenAt: seq });
}

/** These are gone; null: what that makes of the dot is told elsewhere. */
export function noticesDeleted(state: State, ids: readonly Id[], hasUnread: boolean | null, seq: number): State {
  const next = hasUnread === null ? state : dotKnown(state, hasUnread, seq);
  const { items, gone, deletes } = next.notices;
  const left = items.filter((one) => !ids.includes(one.id));
  return note(next, {
    gone: Object.fromEntries([...Object.keys(gone).map(Number), ...ids].slice(-DELETIONS_MAX).map((id) => [id, true as const])),
    items: left.length < items.length ? left : items,
    deletes: deletes.filter((id) => !ids.includes(id)),
  });
}

/** What these posts say, and what is said below them, is no longer for the viewer, as of `seq`. */
export function noticesOfLost(state: State, isLost: (postId: Id) => boolean, seq: number): State {
  const { items } = state.notices;
  const left = items.map((one) => (one.post_id !== null && one.at <= seq && isLost(one.post_id) ? quiet(one, seq) : one));
  return left.every((one, at) => one === items[at]) ? state : note(state, { items: left });
}

const quiet = (notice: Notice, at: number): Notice => ({ ...notice, post_id: null, comment_id: null, comment_text: null, post_text: null, at });

/** The viewer is out of a group: what stands under posts that are not held here may be of it. */
export function noticesOut(state: State): State {
  return doubted(state, ({ post_id }) => post_id !== null && state.posts[post_id] === undefined);
}

/** The viewer may see again what was withheld: lines may have their words and their way back. */
export function noticesBack(state: State): State {
  return doubted(state, ({ kind, post_id }) => kind !== "follow" && post_id === null);
}

function doubted(state: State, isDoubtful: (notice: Notice) => boolean): State {
  const { status, items } = state.notices;
  const isStale = status === "loading" || (status === "ready" && items.some(isDoubtful));
  return isStale ? note(state, { stale: true }) : state;
}

export type NoticesPage = { notifications: Notification[]; users: User[]; older: Id | null; has_unread: boolean; seq: number };

/** The newest, as they were read. What came after that stays. */
export function loadNotices(state: State, page: NoticesPage): State {
  const at = asRead(page.seq);
  const later = state.notices.items.filter((one) => one.at > at);
  return taken(state, page, later, { status: "ready", asOf: at });
}

/** The next page, behind what is listed; nothing when it continues from somewhere else. */
export function loadOlderNotices(state: State, before: Id, page: NoticesPage): State {
  if (state.notices.older !== before) return state;
  return taken(state, page, state.notices.items, { loadingOlder: false });
}

function taken(state: State, page: NoticesPage, kept: readonly Notice[], changes: Partial<Notices>): State {
  const at = asRead(page.seq);
  const next = dotKnown(holdUsers(state, page.users, page.seq), page.has_unread, at);
  const { gone, seenAt, fresh } = next.notices;
  const read = page.notifications.filter((one) => !gone[one.id] && !isGone(next, one.actor_id));
  const all = inOrder([...kept, ...read.map((one) => ({ ...one, unread: one.unread && at >= seenAt, at }))]);
  const marks = read.filter((one) => one.unread).map((one) => [one.id, true as const]);
  return note(next, {
    ...changes,
    items: all,
    // The server forgets what lies beyond.
    older: all.length < NOTICES_MAX ? page.older : null,
    fresh: { ...fresh, ...Object.fromEntries(marks) },
  });
}

/** Nothing shows them: the dot stays known, and what is under way goes on. */
export function letGoNotices(state: State): State {
  if (state.notices.status === "none") return state;
  const { dotAt, seenAt, gone, looks, deletes } = state.notices;
  return { ...state, notices: { ...noNotices(), dotAt, seenAt, gone, looks, deletes } };
}

/** Seqs of another epoch mean nothing. */
export function forgetNoticeTimes(state: State): State {
  const items = state.notices.items.map((one) => ({ ...one, at: 0 }));
  return note(state, { items, asOf: 0, dotAt: 0, seenAt: 0, gone: {} });
}

/** Each once, newest first; the first of two is kept. */
function inOrder(items: readonly Notice[]): Notice[] {
  const each = new Map<Id, Notice>();
  for (const one of items) if (!each.has(one.id)) each.set(one.id, one);
  return [...each.values()].sort((a, b) => b.id - a.id).slice(0, NOTICES_MAX);
}
