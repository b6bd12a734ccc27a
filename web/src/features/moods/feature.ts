import { defineFeature } from "../../engine/feature";
import { isNewestFollow } from "../shared/people/follows";
import { MOODS_VIEW, moodChanged, moodsOfFollowed, noMoods } from "./state";

export const moods = defineFeature({
  initial: () => ({ moods: noMoods() }),
  on: {
    "moods.changed": moodChanged,
    "follows.changed": (state, event) =>
      isNewestFollow(state, event) && event.seq >= state.moods.asOf
        ? moodsOfFollowed(state, event.user_id, event.following)
        : state,
    "people.changed": (state, { user_id, muted }) => moodsOfFollowed(state, user_id, !muted),
    "users.deleted": (state, { user_id }) => moodsOfFollowed(state, user_id, false),
  },
  evict: (state, shown) => {
    if (state.moods.status === "none" || shown.views.has(MOODS_VIEW)) return state;
    // A mood on its way stays known until it has arrived.
    return { ...state, moods: { ...noMoods(), sending: state.moods.sending } };
  },
  forgetSeqs: ({ moods: held }) => ({
    moods: { ...held, asOf: 0, mineAt: 0, list: held.list.map((one) => ({ ...one, at: 0 })) },
  }),
});
