// Test fixtures: the list of polls, with a server that answers from a table.

import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, vi } from "vitest";
import { emptyState } from "../engine/feature";
import { store } from "../engine/store";
import type { PollView } from "../engine/types.gen";
import { CommunityPolls } from "../features/polls/CommunityPolls";
import { toastList } from "../ui/toast";
import { ANA, BEN, aMe, aPollView } from "./fixtures";
import type { Answers } from "./mockClient";
import { answer, ask } from "./mockClient";

export const NOON = Date.UTC(2026, 10, 21, 12);
export const HOUR = 3_600_000;
export const WEEK = 7 * 24 * HOUR;
export const ZOE = { id: 3, name: "Zoë", photo_url: null };

export const view = (id: number, more: Partial<PollView> = {}): PollView =>
  aPollView(id, { created_at_ms: NOON, closes_at_ms: NOON + WEEK, ...more });
export const page = (polls: PollView[], more: object = {}) => ({
  polls,
  users: [ANA, BEN, ZOE],
  groups: [],
  older: null,
  seq: 10,
  ...more,
});

export const settle = () => act(async () => void (await vi.advanceTimersByTimeAsync(20)));

export async function show(polls: PollView[], more: Answers = {}): Promise<void> {
  answer({ "polls.list": () => page(polls), ...more }, 10);
  render(<CommunityPolls />);
  await settle();
}
export const region = () => within(screen.getByRole("region", { name: "Community Polls" }));
export const article = (name: string) => within(screen.getByRole("article", { name }));
export const buttons = (name: string) =>
  article(name)
    .queryAllByRole("button")
    .filter((button) => button.getAttribute("aria-haspopup") !== "menu")
    .map((button) => button.getAttribute("aria-label") ?? button.textContent);
export const press = async (name: string, button: string) => {
  fireEvent.click(article(name).getByRole("button", { name: button }));
  await settle();
};
export const dialog = () => within(screen.getByRole("dialog"));
export const titles = () => screen.getAllByRole("article").map((one) => one.getAttribute("aria-label"));

export function setUpPollsPage(): void {
  beforeEach(() => {
    vi.useFakeTimers({ now: NOON });
    ask.mockReset();
    toastList.clear();
    store.setState(
      {
        ...emptyState(),
        session: { phase: "signed-in", me: aMe() },
        connection: { state: "live", since: 1 },
      },
      true,
    );
  });
  afterEach(() => {
    cleanup();
    vi.useRealTimers();
  });
}
