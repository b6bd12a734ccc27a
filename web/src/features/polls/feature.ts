import { defineFeature } from "../../engine/feature";
import { withFields } from "../../engine/state";
import { isNewestFollow } from "../shared/people/follows";
import { isViewer } from "../shared/people/people";
import {
  POLLS_VIEW,
  noPolls,
  pollCounted,
  pollCreated,
  pollDeleted,
  pollVoted,
  pollsOfFollowed,
  pollsOfGone,
  pollsOfJoined,
  pollsOfLost,
  pollsOfMuted,
} from "./state";

export const polls = defineFeature({
  initial: () => ({ polls: noPolls() }),
  on: {
    "polls.created": pollCreated,
    "polls.deleted": (state, { poll_id }) => pollDeleted(state, poll_id),
    "polls.voted": (state, { poll_id, choice, tally, seq }) => pollVoted(state, poll_id, choice, tally, seq),
    "polls.counted": pollCounted,
    "follows.changed": (state, event) =>
      isNewestFollow(state, event) && event.seq >= state.polls.asOf
        ? pollsOfFollowed(state, event.user_id, event.following)
        : state,
    "people.changed": (state, { user_id, muted }) => pollsOfMuted(state, user_id, muted),
    "users.deleted": (state, { user_id }) => pollsOfGone(state, user_id),
    "groups.joined": (state, { user_ids, group, seq }) =>
      isViewer(state, ...user_ids) ? pollsOfJoined(state, group.id, seq) : state,
    "groups.left": (state, { user_id, group_id, seq }) =>
      isViewer(state, user_id) ? pollsOfLost(state, group_id, seq) : state,
    "groups.deleted": (state, { group_id, seq }) => pollsOfLost(state, group_id, seq),
  },
  evict: (state, shown) => {
    if (state.polls.status === "none" || shown.views.has(POLLS_VIEW)) return state;
    // Votes on their way stay known until they arrive, and the poll that is being written stays for the session.
    const { casting, draft } = state.polls;
    return { ...state, polls: { ...noPolls(), casting, draft } };
  },
  topics: ({ polls: { ids } }) => ({ polls: ids }),
  forgetSeqs: ({ polls: held }) => ({
    polls: { ...held, asOf: 0, gone: {}, items: withFields(held.items, { at: 0 }) },
  }),
});
