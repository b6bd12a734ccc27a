import { act, fireEvent, screen, within } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import { apply } from "../../engine/apply";
import { evict } from "../../engine/evict";
import { update } from "../../engine/store";
import { ANA, BEN, aPoll, aPollView, anasFeed } from "../../testing/fixtures";
import { asked, refuse } from "../../testing/mockClient";
import { article, page, press, settle, setUpPollsPage, show, titles, view } from "../../testing/pollsPage";
import { toasts } from "../../testing/toasts";
import { loadPolls, refreshPolls } from "./read";

vi.mock("../../engine/client", () => import("../../testing/mockClient"));

setUpPollsPage();

describe("deleting a poll", () => {
  const sure = () => within(screen.getByRole("alertdialog", { name: "Delete Poll" }));

  test("asks its creator first, and leaves a line with the focus", async () => {
    await show([view(100, { creator_id: ANA.id }), view(99)], { "polls.delete": () => ({ seq: 11 }) });
    expect(article("question 99").queryByRole("button", { name: "Delete" })).toBe(null);
    article("question 100").getByRole("button", { name: "Delete" }).focus();
    await press("question 100", "Delete");
    fireEvent.click(sure().getByRole("button", { name: "Cancel" }));
    await settle();
    expect(titles()).toEqual(["question 100", "question 99"]);
    expect(asked("polls.delete")).toEqual([]);
    await press("question 100", "Delete");
    fireEvent.click(sure().getByRole("button", { name: "Delete" }));
    await settle();
    expect(asked("polls.delete")).toEqual([{ key: expect.anything(), poll_id: 100 }]);
    expect(toasts()).toEqual(["Poll deleted successfully"]);
    expect(titles()).toEqual(["question 99"]);
    expect(document.activeElement?.textContent).toBe("Removed");
  });

  test("keeps the poll if the server refuses", async () => {
    await show([view(100, { creator_id: ANA.id })], { "polls.delete": refuse("busy") });
    await press("question 100", "Delete");
    fireEvent.click(sure().getByRole("button", { name: "Delete" }));
    await settle();
    expect(toasts()).toEqual(["Error deleting poll. Please try again."]);
    expect(titles()).toEqual(["question 100"]);
  });

  test("elsewhere leaves a line, which takes the focus from the poll", async () => {
    await show([view(100)]);
    act(() => article("question 100").getByRole("button", { name: "Tea" }).focus());
    act(() => update((s) => apply(s, { ev: "polls.deleted", seq: 11, poll_id: 100 })));
    expect(document.activeElement?.textContent).toBe("Removed");
    expect(screen.queryByRole("article")).toBe(null);
  });

  test("keeps its place in the list without text, and the poll does not return", () => {
    const read = loadPolls(anasFeed([]), page([aPollView(100)]));
    const created = apply(read, {
      ev: "polls.created",
      seq: 11,
      poll: aPoll(101),
      users: [BEN],
      groups: [],
    });
    expect(created.polls.waiting).toHaveLength(1);
    const state = apply(created, { ev: "polls.deleted", seq: 12, poll_id: 101 });
    expect(state.polls.waiting).toEqual([]);
    const gone = apply(state, { ev: "polls.deleted", seq: 13, poll_id: 100 });
    expect(gone.polls.ids).toEqual([100]);
    expect(gone.polls.items[100]).toMatchObject({ removed: true, question: "", options: [], tally: null });
    const again = page([aPollView(100)], { seq: 12 });
    expect(refreshPolls(gone, again, 0).polls.items[100]?.removed).toBe(true);
    expect(loadPolls(gone, again).polls.ids).toEqual([]);
    const voted = apply(gone, { ev: "polls.voted", seq: 14, poll_id: 100, choice: 0, tally: [1, 0] });
    expect(voted.polls.items[100]?.choice).toBe(null);
  });

  test("changes nothing while the list is not on screen", () => {
    const nothing = { posts: new Set<number>(), profiles: new Set<number>(), people: new Set<number>() };
    const { state } = evict(loadPolls(anasFeed([]), page([aPollView(100)])), {
      ...nothing,
      views: new Set(),
    });
    expect(apply(state, { ev: "polls.deleted", seq: 12, poll_id: 100 })).toBe(state);
  });
});
