import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { RefusedError } from "../../wire/ask";
import { store } from "../../store/store";
import { anasFeed, BEN } from "../../store/testing";
import { toastList } from "../../ui/toast";
import { FollowButton } from "./FollowButton";
import { FollowsDialog } from "./FollowsDialog";

const ask = vi.hoisted(() => vi.fn());
vi.mock("../../store/client", () => ({ ask }));

beforeEach(() => {
  ask.mockReset();
  toastList.clear();
  store.setState(anasFeed([]), true);
});
afterEach(cleanup);

const said = () => toastList.get().map((one) => one.message);

describe("following", () => {
  test("sets the state, says so, and can be taken back", async () => {
    render(<FollowButton userId={2} />);
    ask.mockResolvedValueOnce({ user_id: 2, following: true, seq: 11 });
    fireEvent.click(screen.getByRole("button", { name: "Follow" }));
    await vi.waitFor(() => expect(said()).toEqual(["Following successfully"]));
    ask.mockResolvedValueOnce({ user_id: 2, following: false, seq: 12 });
    fireEvent.click(await screen.findByRole("button", { name: "Unfollow" }));
    await vi.waitFor(() => expect(said()).toContain("Unfollowed successfully"));
    expect(ask.mock.calls.map((call) => call[1].following)).toEqual([true, false]);
  });

  test("a refusal shows the old state and the specification's words", async () => {
    ask.mockRejectedValue(new RefusedError("slow_down", "Slow down.", null, 1_000));
    render(<FollowButton userId={2} />);
    fireEvent.click(screen.getByRole("button", { name: "Follow" }));
    await vi.waitFor(() => expect(said()).toEqual(["Error updating follow status. Try refreshing the page."]));
    expect(await screen.findByRole("button", { name: "Follow" })).toBeTruthy();
  });

  test("the lists are dialogs of links by name", async () => {
    ask.mockResolvedValue({ users: [BEN], older: null, seq: 11 });
    render(<FollowsDialog side="followers" onClose={() => undefined} />);
    expect(screen.getByRole("dialog", { name: "Followers" })).toBeTruthy();
    expect((await screen.findByRole("link", { name: "Ben" })).getAttribute("href")).toBe("/profile/2");
  });
});
