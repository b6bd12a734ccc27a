import { describe, expect, test } from "vitest";
import { apply } from "../../engine/apply";
import { pend, shownVote } from "../shared/pending";
import { shownFollowing } from "../shared/people/follows";
import { aView, anasFeed } from "../../testing/fixtures";

describe("pending changes", () => {
  test("c18: an older event changes the server's state, but not what is shown", () => {
    let state = pend(anasFeed([aView(100)]), "votes", 100, "positive");
    expect(shownVote(state, 100)).toBe("positive");
    state = apply(state, { ev: "votes.changed", seq: 11, post_id: 100, vote: "negative" });
    expect(state.posts[100]?.vote).toBe("negative");
    expect(shownVote(state, 100)).toBe("positive");
    state = apply(state, { ev: "votes.changed", seq: 12, post_id: 100, vote: "positive" });
    state = pend(state, "votes", 100, null);
    expect(shownVote(state, 100)).toBe("positive");
  });

  test("c18: the server's state is shown again after a refusal", () => {
    const state = pend(anasFeed([aView(100, { vote: "negative" })]), "votes", 100, "none");
    expect(shownVote(state, 100)).toBe("none");
    expect(shownVote(pend(state, "votes", 100, null), 100)).toBe("negative");
  });

  test("a follow shows the pending state first and then the server's", () => {
    const state = pend(anasFeed([]), "follows", 2, true);
    expect(shownFollowing(state, 2)).toBe(true);
    const confirmed = pend(
      apply(state, { ev: "follows.changed", seq: 11, user_id: 2, following: true }),
      "follows",
      2,
      null,
    );
    expect(shownFollowing(confirmed, 2)).toBe(true);
  });
});
