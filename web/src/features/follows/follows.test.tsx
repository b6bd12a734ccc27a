import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { RefusedError } from "../../engine/ask";
import { apply } from "../../engine/apply";
import { loadProfile } from "../shared/people/profiles";
import { store, update } from "../../engine/store";
import { anasFeed, aProfile, ANA, BEN } from "../../testing/fixtures";
import { toastList } from "../../ui/toast";
import { FollowButton } from "./FollowButton";
import { FollowsDialog } from "./FollowsDialog";
import { toasts } from "../../testing/toasts";

const ask = vi.hoisted(() => vi.fn());
vi.mock("../../engine/client", () => ({ ask, client: { onScreen: () => () => undefined } }));

beforeEach(() => {
  ask.mockReset();
  toastList.clear();
  store.setState(anasFeed([]), true);
});
afterEach(cleanup);

describe("following", () => {
  test("sets the state, shows a message, and can be undone", async () => {
    render(<FollowButton userId={2} />);
    ask.mockResolvedValueOnce({ user_id: 2, following: true, seq: 11 });
    fireEvent.click(screen.getByRole("button", { name: "Follow" }));
    await vi.waitFor(() => expect(toasts()).toEqual(["Following successfully"]));
    ask.mockResolvedValueOnce({ user_id: 2, following: false, seq: 12 });
    fireEvent.click(await screen.findByRole("button", { name: "Unfollow" }));
    await vi.waitFor(() => expect(toasts()).toContain("Unfollowed successfully"));
    expect(ask.mock.calls.map((call) => call[1].following)).toEqual([true, false]);
  });

  test("d-r4: is shown as done without a network, with a note on when it will be sent", async () => {
    ask.mockReturnValue(new Promise(() => undefined));
    update((s) => ({ ...s, connection: { state: "offline", since: 2 } }));
    render(<FollowButton userId={2} />);
    fireEvent.click(screen.getByRole("button", { name: "Follow" }));
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Unfollow" }).disabled).toBe(true);
    expect(await screen.findByText("Saved. It will go out when you're back online.")).toBeTruthy();
  });

  test.for([
    ["internal", "A fault.", "Error updating follow status. Try refreshing the page."],
    ["slow_down", "Try again in 8 hours.", "Try again in 8 hours."],
  ] as const)("after the refusal %s shows the old state, and why", async ([code, sentence, shown]) => {
    ask.mockRejectedValue(new RefusedError(code, sentence, null, null));
    render(<FollowButton userId={2} />);
    fireEvent.click(screen.getByRole("button", { name: "Follow" }));
    await vi.waitFor(() => expect(toasts()).toEqual([shown]));
    expect(await screen.findByRole("button", { name: "Follow" })).toBeTruthy();
  });

  test("has two dialogs with lists of links by name", async () => {
    ask.mockResolvedValue({ users: [BEN], older: null, seq: 11 });
    render(<FollowsDialog side="followers" onClose={() => undefined} />);
    expect(screen.getByRole("dialog", { name: "Followers" })).toBeTruthy();
    expect((await screen.findByRole("link", { name: "Ben" })).getAttribute("href")).toBe("/profile/2");
  });

  test("shows long names in twenty characters, and arrow keys move in its lists", async () => {
    ask.mockResolvedValue({
      users: [
        { ...BEN, name: "B".repeat(40) },
        { id: 3, name: "Cleo", photo_url: null },
      ],
      older: null,
      seq: 11,
    });
    render(<FollowsDialog side="following" onClose={() => undefined} />);
    const cut = await screen.findByRole("link", { name: `${"B".repeat(19)}…` });
    cut.focus();
    fireEvent.keyDown(cut, { key: "ArrowDown" });
    expect(document.activeElement?.textContent).toBe("CCleo");
    fireEvent.keyDown(document.activeElement as Element, { key: "Home" });
    expect(document.activeElement).toBe(cut);
  });

  test("updates an open list after a rename, an unfollow on another device and a deleted account", async () => {
    const people = [BEN, { id: 3, name: "Cleo", photo_url: null }, { id: 4, name: "Dan", photo_url: null }];
    ask.mockResolvedValue({ users: people, older: null, seq: 11 });
    render(<FollowsDialog side="following" onClose={() => undefined} />);
    await screen.findByRole("link", { name: "Dan" });
    const names = () => screen.getAllByRole("link").map((link) => link.querySelector("bdi")?.textContent);
    act(() => update((s) => apply(s, { ev: "users.changed", seq: 12, user: { ...BEN, name: "Benno" } })));
    act(() => update((s) => apply(s, { ev: "follows.changed", seq: 13, user_id: 3, following: false })));
    await vi.waitFor(() => expect(names()).toEqual(["Benno", "Dan"]));
    act(() => update((s) => apply(s, { ev: "users.deleted", seq: 14, user_id: 4 })));
    await vi.waitFor(() => expect(names()).toEqual(["Benno"]));
  });

  test("adds a new follower to the open list, and reads it again as far as it was read", async () => {
    update((s) => loadProfile(s, aProfile({ ...ANA, followers_count: 3 }), 11));
    const cleo = { id: 3, name: "Cleo", photo_url: null };
    const dan = { id: 4, name: "Dan", photo_url: null };
    ask
      .mockResolvedValueOnce({ users: [BEN], older: 5, seq: 11 })
      .mockResolvedValueOnce({ users: [cleo], older: null, seq: 11 });
    render(<FollowsDialog side="followers" onClose={() => undefined} />);
    fireEvent.click(await screen.findByRole("button", { name: "Show more" }));
    await screen.findByRole("link", { name: "Cleo" });
    ask
      .mockResolvedValueOnce({ users: [dan, BEN], older: 5, seq: 12 })
      .mockResolvedValueOnce({ users: [cleo], older: null, seq: 12 });
    act(() =>
      update((s) =>
        apply(s, {
          ev: "profiles.counted",
          seq: 12,
          user_id: ANA.id,
          followers_count: 4,
          following_count: 2,
        }),
      ),
    );
    await screen.findByRole("link", { name: "Dan" });
    expect(screen.getAllByRole("link")).toHaveLength(3);
    expect(ask.mock.calls.map((call) => call[1].before)).toEqual([null, 5, null, 5]);
  });

  test("shows a sentence in an empty list", async () => {
    ask.mockResolvedValue({ users: [], older: null, seq: 11 });
    render(<FollowsDialog side="followers" onClose={() => undefined} />);
    expect(await screen.findByText("Nobody follows you yet.")).toBeTruthy();
  });
});
