import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { store, update } from "../../engine/store";
import type { Me } from "../../engine/types.gen";
import { ANA, BEN, aMe, anasFeed } from "../../testing/fixtures";
import { FollowInviter } from "./FollowInviter";
import { GettingStarted } from "./GettingStarted";

const ask = vi.hoisted(() => vi.fn());
vi.mock("../../engine/client", () => ({ ask }));

const theme = { day: "2026-11-22", title: "Boats", description: "Which?", tag: "slow boats", own: null };
const NONE = { has_photo: false, has_followed: false, has_invited: false, has_answered: false };
const ALL = { has_photo: true, has_followed: true, has_invited: true, has_answered: true };

const is = (more: Partial<Me>): void =>
  act(() => update((s) => ({ ...s, session: { ...s.session, me: aMe(more) } })));
const region = () => within(screen.getByRole("region", { name: "Getting started" }));
const names = () =>
  within(region().getByRole("list", { name: "First steps" }))
    .getAllByRole("link")
    .map((link) => `${link.textContent} ${link.getAttribute("href")}`);
const open = async (mayInvite = true): Promise<void> => {
  ask.mockImplementation((op: string) =>
    Promise.resolve({ invites: [], may_create: op === "invites.list" && mayInvite, seq: 1 }),
  );
  render(<GettingStarted theme={theme} />);
  await act(async () => undefined);
};

beforeEach(() => {
  ask.mockReset();
  store.setState(anasFeed([]), true);
});
afterEach(cleanup);

describe("getting started", () => {
  test("is not shown for an account that is older than these steps", async () => {
    await open();
    expect(screen.queryByRole("region")).toBe(null);
    expect(ask).not.toHaveBeenCalled();
  });

  test("d-p2: lists the steps, and shows which are done", async () => {
    is({ first_steps: { ...NONE, has_photo: true } });
    await open();
    expect(names()).toEqual([
      `Add a photo /profile/${ANA.id}#change-photo`,
      "Find people to follow /search",
      "Invite someone /settings#create-invitation",
      "Answer today's theme /create-post?tag=slow%20boats",
    ]);
    expect(region().getAllByText("Done")).toHaveLength(1);
  });

  test("d-p2: leaves out steps that are impossible here", async () => {
    is({ first_steps: NONE });
    await open(false);
    expect(names()).toHaveLength(3);
    cleanup();
    render(<GettingStarted theme={null} />);
    await act(async () => undefined);
    expect(names()).toHaveLength(2);
  });

  test("d-p1: says when all is done, and is not shown at the next load", async () => {
    is({ first_steps: NONE });
    await open();
    is({ first_steps: ALL });
    expect(region().getByText("You're all set.")).toBeTruthy();
    cleanup();
    // Another user of the same page has done all steps before.
    is({ id: 9, first_steps: ALL });
    await open();
    expect(screen.queryByRole("region")).toBe(null);
    expect(ask).toHaveBeenCalledWith("newcomers.dismiss", expect.objectContaining({ what: "steps" }));
  });

  test("a step whose control is on this page moves the focus there, and the address stays", async () => {
    is({ first_steps: NONE });
    await open();
    const control = document.body.appendChild(document.createElement("input"));
    control.id = "change-photo";
    const before = location.href;
    const link = region().getByRole("link", { name: "Add a photo" });
    fireEvent.click(link);
    expect(document.activeElement).toBe(control);
    expect(location.href).toBe(before);
    control.remove();
    fireEvent.click(link);
    expect(location.pathname + location.hash).toBe(link.getAttribute("href"));
    history.replaceState(null, "", before);
  });

  test("is dismissed for good by a press", async () => {
    is({ first_steps: NONE });
    await open();
    await act(async () => fireEvent.click(region().getByRole("button", { name: "Dismiss" })));
    expect(ask).toHaveBeenCalledWith("newcomers.dismiss", expect.objectContaining({ what: "steps" }));
    expect(screen.queryByRole("region")).toBe(null);
  });
});

describe("the user who invited", () => {
  test("can be followed or not, and has their current name", async () => {
    const follow = vi.fn(() => Promise.resolve(true));
    ask.mockResolvedValue({ seq: 1 });
    is({ inviter: BEN });
    render(<FollowInviter follow={follow} />);
    const region = () => within(screen.getByRole("region", { name: `Follow ${BEN.name}?` }));
    await act(async () => fireEvent.click(region().getByRole("button", { name: "Follow" })));
    expect(follow).toHaveBeenCalledWith(BEN.id);
    cleanup();
    render(<FollowInviter follow={follow} />);
    await act(async () => fireEvent.click(region().getByRole("button", { name: "Not now" })));
    expect(ask).toHaveBeenCalledWith("newcomers.dismiss", expect.objectContaining({ what: "inviter" }));
    expect(screen.queryByRole("region")).toBe(null);
  });

  test("is followed by one press, and then their posts are one press away", async () => {
    is({ inviter: BEN });
    // The server forgets the inviter of the account with the follow.
    const follow = () => {
      is({ inviter: null });
      return Promise.resolve(true);
    };
    render(<FollowInviter follow={follow} />);
    expect(
      screen.getByText("They invited you. If you follow them, you see their posts in Your Space."),
    ).toBeTruthy();
    await act(async () => fireEvent.click(screen.getByRole("button", { name: "Follow" })));
    expect(screen.queryByRole("button")).toBe(null);
    expect(screen.queryByRole("region")).toBe(null);
    expect(screen.getByText(`You follow ${BEN.name} now.`)).toBeTruthy();
    const link = screen.getByRole("link", { name: "See their posts" });
    expect(link.getAttribute("href")).toBe(`/profile/${BEN.id}`);
    await vi.waitFor(() => expect(document.activeElement).toBe(link));
  });
});
