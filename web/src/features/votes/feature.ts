// Registers the votes with the engine: events change the vote and the positive count of held posts. An older event
// never overwrites a newer state.

import { defineFeature } from "../../engine/feature";
import { changePost } from "../shared/posts/posts";

export const votes = defineFeature({
  initial: () => ({}),
  on: {
    "votes.changed": (state, { post_id, vote, seq }) =>
      changePost(state, post_id, (post) => (seq < post.voteAt ? post : { ...post, vote, voteAt: seq })),
    "votes.counted": (state, { post_id, positive_count, seq }) =>
      changePost(state, post_id, (post) =>
        seq < post.positiveAt ? post : { ...post, positive_count, positiveAt: seq },
      ),
  },
});
