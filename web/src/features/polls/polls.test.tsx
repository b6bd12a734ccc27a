import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import { apply } from "../../engine/apply";
import { RefusedError } from "../../engine/ask";
import { emptyState } from "../../engine/feature";
import { store, update } from "../../engine/store";
import type { PollView } from "../../engine/types.gen";
import { ANA, BEN, FAMILY, aGroup, aMe, aPoll, toFamily } from "../../testing/fixtures";
import { answer, asked, refuse } from "../../testing/mockClient";
import {
  HOUR,
  NOON,
  WEEK,
  ZOE,
  article,
  buttons,
  dialog,
  page,
  press,
  region,
  settle,
  show,
  titles,
  view,
  setUpPollsPage,
} from "../../testing/pollsPage";
import { toasts } from "../../testing/toasts";
import { storeGroupNames } from "../shared/groups/groups";
import { CommunityPolls } from "./CommunityPolls";

vi.mock("../../engine/client", () => import("../../testing/mockClient"));

setUpPollsPage();

describe("a poll", () => {
  test("shows only the answers to people who have not voted, its creator included", async () => {
    await show([view(100), view(99, { creator_id: ANA.id })]);
    expect(buttons("question 100")).toEqual(["Tea", "Coffee"]);
    expect(article("question 100").getByText("People who vote can see each other's choices.")).toBeTruthy();
    expect(article("question 100").getByText("6d 23h left")).toBeTruthy();
    expect(article("question 100").queryByText(/votes?$/u)).toBe(null);
    expect(buttons("question 99")).toEqual(["Delete", "Tea", "Coffee"]);
  });

  test("says who sees a vote before the first option, and to those who come by the Tab key, until the vote", async () => {
    await show([view(100)], { "polls.vote": () => ({ poll_id: 100, choice: 0, tally: [2, 1], seq: 11 }) });
    const options = () => article("question 100").getByRole("group", { name: "question 100" });
    const note = article("question 100").getByText("People who vote can see each other's choices.");
    expect(options().firstElementChild).toBe(note);
    expect(options().getAttribute("aria-describedby")).toBe(note.id);
    await press("question 100", "Tea");
    expect(options().getAttribute("aria-describedby")).toBe(null);
    const opens = within(options()).getAllByRole("button");
    expect(opens.map((option) => option.getAttribute("aria-haspopup"))).toEqual(["dialog", "dialog"]);
  });

  test("shows the shares and the viewer's own choice after the vote", async () => {
    await show([view(100)], { "polls.vote": () => ({ poll_id: 100, choice: 0, tally: [2, 1], seq: 11 }) });
    await press("question 100", "Tea");
    expect(asked("polls.vote")).toMatchObject([{ poll_id: 100, option: 0 }]);
    expect(buttons("question 100")).toEqual(["Tea, 67%, your choice", "Coffee, 33%"]);
    expect(article("question 100").getByText("3 votes")).toBeTruthy();
    await settle();
    expect(document.activeElement?.getAttribute("aria-label")).toBe("Tea, 67%, your choice");
    expect(article("question 100").queryByText(/People who vote/u)).toBe(null);
  });

  test("is disabled while a vote is sent, and says if the vote failed", async () => {
    let fail: (error: Error) => void = () => undefined;
    await show([view(100)], { "polls.vote": () => new Promise((_, reject) => (fail = reject)) });
    await press("question 100", "Tea");
    expect(
      article("question 100")
        .getAllByRole<HTMLButtonElement>("button")
        .every((button) => button.disabled || button.getAttribute("aria-haspopup") === "menu"),
    ).toBe(true);
    fail(new RefusedError("busy", "Busy.", null, 500));
    await settle();
    expect(article("question 100").getByRole("alert").textContent).toBe(
      "That didn't go through. Please try again.",
    );
    expect(buttons("question 100")).toEqual(["Tea", "Coffee"]);
    await press("question 100", "Tea");
    fail(new RefusedError("slow_down", "Try again in 40 seconds.", null, 40_000));
    await settle();
    expect(article("question 100").getByRole("alert").textContent).toBe("Try again in 40 seconds.");
  });

  test("still shows a vote that waits for the connection after its card was left and opened again", async () => {
    let answer = (_ok: unknown) => undefined as void;
    await show([view(100)], { "polls.vote": () => new Promise((done) => void (answer = done)) });
    await press("question 100", "Tea");
    cleanup();
    render(<CommunityPolls />);
    await settle();
    expect(article("question 100").getByRole<HTMLButtonElement>("button", { name: "Tea" }).disabled).toBe(
      true,
    );
    await act(async () => answer({ poll_id: 100, choice: 0, tally: [1, 0], seq: 11 }));
    expect(buttons("question 100")).toEqual(["Tea, 100%, your choice", "Coffee, 0%"]);
    expect(asked("polls.vote")).toHaveLength(1);
  });

  test("c34: shows a vote of another device, and only the newest tally", async () => {
    await show([view(100)]);
    act(() =>
      update((s) => apply(s, { ev: "polls.voted", seq: 11, poll_id: 100, choice: 1, tally: [0, 1] })),
    );
    expect(buttons("question 100")).toEqual(["Tea, 0%", "Coffee, 100%, your choice"]);
    act(() => update((s) => apply(s, { ev: "polls.counted", seq: 13, poll_id: 100, tally: [1, 1] })));
    act(() => update((s) => apply(s, { ev: "polls.counted", seq: 12, poll_id: 100, tally: [0, 2] })));
    expect(buttons("question 100")).toEqual(["Tea, 50%", "Coffee, 50%, your choice"]);
  });

  test("is in a list that hides the content below until the polls are known", async () => {
    await show([], { "polls.list": () => new Promise(() => undefined) });
    expect(screen.getByRole("region", { name: "Community Polls" }).hasAttribute("data-waits")).toBe(true);
    cleanup();
    store.setState(
      {
        ...emptyState(),
        session: { phase: "signed-in", me: aMe() },
        connection: { state: "live", since: 1 },
      },
      true,
    );
    await show([view(100)]);
    expect(screen.getByRole("region", { name: "Community Polls" }).hasAttribute("data-waits")).toBe(false);
  });

  test("c34: closes on screen by the server's clock", async () => {
    await show([
      view(100, { closes_at_ms: NOON + HOUR, choice: 0, tally: [3, 1] }),
      view(99, { closes_at_ms: NOON + HOUR }),
    ]);
    expect(article("question 100").getByText("1h left")).toBeTruthy();
    await act(async () => void (await vi.advanceTimersByTimeAsync(61_000)));
    expect(article("question 100").getByText("Under 1h left")).toBeTruthy();
    await act(async () => void (await vi.advanceTimersByTimeAsync(HOUR)));
    expect(article("question 100").getByText("This poll has closed.")).toBeTruthy();
    expect(article("question 100").getByText("75%")).toBeTruthy();
    expect(article("question 100").getByText("your choice").closest("p")?.textContent).toContain("Tea");
    expect(article("question 100").getByText("4 votes")).toBeTruthy();
    expect(article("question 99").getByText("This poll has closed.")).toBeTruthy();
    expect(article("question 99").queryByText(/%/u)).toBe(null);
    expect(screen.queryAllByRole("button", { name: /Tea/u })).toEqual([]);
  });

  test("c34: shows the closed poll, not an error, after a vote that was too late", async () => {
    await show([view(100)], { "polls.vote": refuse("poll_closed", "This poll has closed.") });
    await press("question 100", "Tea");
    expect(article("question 100").getByText("This poll has closed.")).toBeTruthy();
    expect(screen.queryByRole("alert")).toBe(null);
    expect(toasts()).toEqual([]);
  });

  test("shows the first vote if another device voted before", async () => {
    await show([view(100)]);
    answer(
      {
        "polls.vote": refuse("poll_voted"),
        "polls.list": () => page([view(100, { choice: 1, tally: [0, 5] })], { seq: 12 }),
      },
      10,
    );
    await press("question 100", "Tea");
    expect(buttons("question 100")).toEqual(["Tea, 0%", "Coffee, 100%, your choice"]);
  });

  test("has a list of its voters, as links by name, page by page", async () => {
    await show([view(100, { choice: 0, tally: [2, 0] })], {
      "polls.voters": ({ option, after }) =>
        option === 1
          ? { users: [], more: null, seq: 11 }
          : after === null
            ? { users: [BEN], more: 3, seq: 11 }
            : { users: [ZOE], more: null, seq: 11 },
    });
    await press("question 100", "Tea, 100%, your choice");
    expect(screen.getByRole("dialog", { name: "Voters for Tea" })).toBeTruthy();
    expect(dialog().getByRole("link", { name: "Ben" }).getAttribute("href")).toBe("/profile/2");
    fireEvent.click(dialog().getByRole("button", { name: "Show more" }));
    await settle();
    expect(
      dialog()
        .getAllByRole("link")
        .map((link) => link.querySelector("bdi")?.textContent),
    ).toEqual(["Ben", "Zoë"]);
    fireEvent.click(dialog().getByRole("button", { name: "Close" }));
    await press("question 100", "Coffee, 0%");
    expect(dialog().getByText("No votes yet")).toBeTruthy();
  });

  test("updates an open list of voters", async () => {
    let users = [BEN];
    await show([view(100, { choice: 0, tally: [1, 0] })], {
      "polls.voters": () => ({ users, more: null, seq: 11 }),
    });
    await press("question 100", "Tea, 100%, your choice");
    users = [BEN, ZOE];
    act(() => update((s) => apply(s, { ev: "polls.counted", seq: 12, poll_id: 100, tally: [2, 0] })));
    await settle();
    expect(dialog().getAllByRole("link")).toHaveLength(2);
  });

  test("shows the specification's message if the voters cannot be read", async () => {
    await show([view(100, { choice: 0, tally: [1, 0] })], { "polls.voters": refuse("busy") });
    await press("question 100", "Tea, 100%, your choice");
    expect(toasts()).toEqual(["Error loading voters. Please try again."]);
    expect(screen.queryByRole("dialog")).toBe(null);
  });
});

describe("the list of polls", () => {
  test("says that it is empty, and lists and reads the first poll at once", async () => {
    await show([]);
    expect(region().getByText("No open polls. Ask something small.")).toBeTruthy();
    answer({ "polls.list": () => page([view(101)], { seq: 12 }) }, 10);
    act(() =>
      update((s) =>
        apply(s, {
          ev: "polls.created",
          seq: 11,
          poll: aPoll(101, { closes_at_ms: NOON + WEEK }),
          users: [BEN],
          groups: [],
        }),
      ),
    );
    await settle();
    expect(titles()).toEqual(["question 101"]);
    expect(asked("polls.list")).toHaveLength(2);
  });

  test("shows a new poll only after a press, and moves nothing before", async () => {
    await show([view(100)]);
    act(() =>
      update((s) => apply(s, { ev: "polls.created", seq: 11, poll: aPoll(101), users: [BEN], groups: [] })),
    );
    expect(titles()).toEqual(["question 100"]);
    answer({ "polls.list": () => page([view(101), view(100)], { seq: 12 }) }, 10);
    fireEvent.click(region().getByRole("button", { name: "1 new poll" }));
    await settle();
    expect(titles()).toEqual(["question 101", "question 100"]);
    expect(region().queryByRole("button", { name: /new poll/u })).toBe(null);
    expect(document.activeElement?.getAttribute("data-poll")).toBe("101");
  });

  test("shows older polls after a press", async () => {
    await show([]);
    cleanup();
    store.setState({ ...store.getState(), polls: emptyState().polls }, true);
    answer(
      {
        "polls.list": ({ before }) =>
          before === null ? page([view(100)], { older: 100 }) : page([view(90)]),
      },
      10,
    );
    render(<CommunityPolls />);
    await settle();
    fireEvent.click(region().getByRole("button", { name: "Show older polls" }));
    await settle();
    expect(titles()).toEqual(["question 100", "question 90"]);
    expect(region().queryByRole("button", { name: "Show older polls" })).toBe(null);
    expect(document.activeElement?.getAttribute("data-poll")).toBe("90");
  });

  test("loses the polls of a user who is unfollowed", async () => {
    await show([view(100), view(99, { creator_id: ZOE.id })]);
    act(() => update((s) => apply(s, { ev: "follows.changed", seq: 11, user_id: BEN.id, following: false })));
    expect(titles()).toEqual(["question 99"]);
  });

  test("reads only the tallies of polls with a vote after a reconnect", async () => {
    await show([view(100, { choice: 0, tally: [1, 0] }), view(99)]);
    answer({ "polls.tallies": () => ({ tallies: [{ poll_id: 100, tally: [1, 3] }], seq: 20 }) }, 20);
    act(() => update((s) => ({ ...s, connection: { state: "reconnecting", since: 2 } })));
    act(() => update((s) => ({ ...s, connection: { state: "live", since: 3 } })));
    await settle();
    expect(asked("polls.tallies")).toEqual([{ poll_ids: [100] }]);
    expect(asked("polls.list")).toHaveLength(1);
    expect(buttons("question 100")).toEqual(["Tea, 25%, your choice", "Coffee, 75%"]);
  });

  test("reads nothing after a reconnect if there is no poll with a vote", async () => {
    await show([view(100)]);
    act(() => update((s) => ({ ...s, connection: { state: "reconnecting", since: 2 } })));
    act(() => update((s) => ({ ...s, connection: { state: "live", since: 3 } })));
    await settle();
    expect(asked("polls.tallies")).toHaveLength(0);
    expect(asked("polls.list")).toHaveLength(1);
  });

  test("is read again in place after a resync", async () => {
    await show([view(100), view(99)]);
    answer(
      { "polls.list": () => page([view(101), view(100, { choice: 0, tally: [1, 0] })], { seq: 20 }) },
      10,
    );
    act(() => update((s) => ({ ...s, connection: { state: "reconnecting", since: 2 } })));
    act(() => update((s) => ({ ...s, resyncs: 1, connection: { state: "live", since: 3 } })));
    await settle();
    expect(buttons("question 100")).toEqual(["Tea, 100%, your choice", "Coffee, 0%"]);
    expect(titles()).toEqual(["question 100"]);
    expect(region().getByText("Removed")).toBeTruthy();
    expect(region().getByRole("button", { name: "1 new poll" })).toBeTruthy();
  });

  test("d-m1: says if it could not be read", async () => {
    await show([], { "polls.list": refuse("timeout", "Too long.", null, 0) });
    answer({ "polls.list": () => page([view(100)]) }, 10);
    fireEvent.click(region().getByRole("button", { name: "Try again" }));
    await settle();
    expect(titles()).toEqual(["question 100"]);
  });
});

describe("a poll of a group", () => {
  const family = (...polls: PollView[]) =>
    show(polls, { "groups.list": () => ({ groups: [aGroup()], users: [ANA, BEN], seq: 10 }) });
  const goes = async () => {
    act(() => update((s) => apply(s, { ev: "groups.deleted", seq: 11, group_id: FAMILY.id })));
    await settle();
  };

  test("names the group with its current name, and is removed with the group", async () => {
    await family(view(100, { audience: toFamily }));
    act(() => update((s) => storeGroupNames(s, [FAMILY], 10)));
    expect(
      article("question 100").getByText(
        (_, one) => one?.tagName === "SPAN" && one.textContent === "Shared with Family",
      ),
    ).toBeTruthy();
    act(() => update((s) => apply(s, { ev: "groups.renamed", seq: 11, group_id: FAMILY.id, name: "Kin" })));
    expect(screen.getByRole("article").textContent).toContain("Shared with Kin");
    await goes();
    expect(screen.queryByRole("article")).toBe(null);
    expect(region().getByText("Removed")).toBeTruthy();
  });

  test("shows no error for a vote that was being sent when the poll was removed", async () => {
    let refuseNow = (): void => undefined;
    await show([view(100, { audience: toFamily })], {
      "polls.vote": () =>
        new Promise((_, reject) => (refuseNow = () => reject(new RefusedError("not_found", "No.")))),
    });
    await press("question 100", "Tea");
    await goes();
    refuseNow();
    await settle();
    expect(region().getByText("Removed")).toBeTruthy();
    expect(screen.queryByRole("alert")).toBe(null);
    expect(toasts()).toEqual([]);
  });
});
