// Registers the features of this page, in order: a feature comes after those it depends on.

import { emptyState, registerFeatures } from "../engine/feature";
import type { EventName } from "../engine/frames";
import { update } from "../engine/store";
import { comments } from "../features/comments/state";
import { moods } from "../features/moods/state";
import { notifications } from "../features/notifications/feature";
import { postEdits } from "../features/posts/state";
import { profileEdit } from "../features/profiles/state";
import { pending } from "../features/shared/feature";
import { changes } from "../features/shared/changes/feature";
import { groups } from "../features/shared/groups/feature";
import { invites } from "../features/shared/invites/state";
import { people } from "../features/shared/people/feature";
import { posts } from "../features/shared/posts/feature";
import { theme } from "../features/theme/state";
import { votes } from "../features/votes/feature";

const all = [
  pending,
  people,
  invites,
  groups,
  posts,
  postEdits,
  profileEdit,
  comments,
  votes,
  notifications,
  moods,
  theme,
  changes,
] as const;

/**
 * The events that the features handle. The connection handles `hello` and `beat`. The screens of imports and polls
 * register their own features when they are loaded (features/imports/state.ts, features/polls/state.ts).
 */
type Handled<F> = F extends { on: infer On } ? keyof On : never;
type OfScreens = "imports.changed" | "polls.created" | "polls.deleted" | "polls.voted" | "polls.counted";
type Unhandled = Exclude<EventName, Handled<(typeof all)[number]> | "hello" | "beat" | OfScreens>;

/** Fails to compile when the server sends an event that no feature handles. */
const isComplete: [Unhandled] extends [never] ? true : Unhandled = true;

if (isComplete) registerFeatures(all);
update((state) => ({ ...emptyState(), ...state }));
