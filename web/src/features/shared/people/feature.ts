import { apply } from "../../../engine/apply";
import { RefusedError } from "../../../engine/refused";
import type { Tools } from "../../../engine/feature";
import { defineFeature, features } from "../../../engine/feature";
import type { Id } from "../../../engine/state";
import { withFields, without } from "../../../engine/state";
import { followChanged } from "./follows";
import { hiddenChanged, nothingHidden } from "./hidden";
import { accountChanged, storeUsers, userChanged, userDeleted, userReturned } from "./people";
import { loadProfile, profileChanged, profileCounted } from "./profiles";

/** Users, profiles, follows, blocks and mutes. */
export const people = defineFeature({
  initial: () => ({
    hidden: nothingHidden(),
    users: {},
    renamedAt: {},
    goneAt: {},
    profiles: {},
    follows: {},
  }),
  on: {
    "users.changed": (state, { user, seq }) => userChanged(state, user, seq),
    "users.deleted": (state, { user_id, seq }) => userDeleted(state, user_id, seq),
    "users.returned": (state, { user_id }) => userReturned(state, user_id),
    "profiles.changed": (state, { profile, seq }) => profileChanged(state, profile, seq),
    "profiles.counted": profileCounted,
    "account.changed": (state, { me, seq }) => accountChanged(state, me, seq),
    "follows.changed": followChanged,
    "people.changed": hiddenChanged,
  },
  signedIn: (state, me) => storeUsers(state, [me], Number.POSITIVE_INFINITY),
  evict: (state, shown) => {
    const next = {
      ...state,
      profiles: without(
        state.profiles,
        idsOf(state.profiles).filter((id) => !shown.profiles.has(id)),
      ),
    };
    const named = new Set([
      ...shown.people,
      ...features().flatMap((feature) => [...(feature.users?.(next) ?? [])]),
    ]);
    return {
      ...next,
      users: without(
        next.users,
        idsOf(next.users).filter((id) => !named.has(id)),
      ),
    };
  },
  users: ({ profiles, session }) => [...idsOf(profiles), ...(session.me === null ? [] : [session.me.id])],
  topics: ({ profiles }) => ({ profiles: idsOf(profiles) }),
  resumes: ({ profiles }) => ({ profiles: idsOf(profiles) }),
  forgetSeqs: ({ profiles, follows }) => ({
    // After a change of the epoch the mutes are read again.
    hidden: nothingHidden(),
    profiles: withFields(profiles, { asOf: 0, countedAt: 0 }),
    follows: withFields(follows, { at: 0 }),
    renamedAt: {},
    goneAt: {},
  }),
  reread: (tools, { profiles }) =>
    // A profile that could not be read stays as it was.
    Promise.all(idsOf(profiles).map((id) => rereadProfile(tools, id).catch(() => undefined))),
});

const idsOf = (record: Record<Id, unknown>): Id[] => Object.keys(record).map(Number);

/** Reads a profile again. If it is not found, the account was deleted while the connection was lost. */
async function rereadProfile({ ask, update }: Tools, user_id: Id): Promise<void> {
  try {
    const ok = await ask("profiles.get", { user_id });
    update((s) => loadProfile(s, ok.profile, ok.seq));
  } catch (error) {
    if (error instanceof RefusedError && error.code === "not_found")
      update((s) => apply(s, { ev: "users.deleted", seq: 0, user_id }));
  }
}
