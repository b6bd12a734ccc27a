// Test fixtures: the page of the groups, with a server that answers from a table.

import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, vi } from "vitest";
import { emptyState } from "../engine/feature";
import { store } from "../engine/store";
import type { Group, User } from "../engine/types.gen";
import { ManageGroups } from "../features/groups/ManageGroups";
import { toastList } from "../ui/toast";
import { ANA, BEN, aGroup, aMe } from "./fixtures";
import type { Answers } from "./mockClient";
import { answer, ask } from "./mockClient";

export const CLEO: User = { id: 3, name: "Cleo", photo_url: null };
export const DAN: User = { id: 4, name: "Dan", photo_url: null };
export const FAMILY = aGroup({ owner_id: ANA.id });
export const WALKS = aGroup({ id: 60, name: "Walks", owner_id: BEN.id, members_count: 3 });
export const people: Record<number, User[]> = { 50: [ANA, BEN], 60: [BEN, ANA, CLEO] };

export function server(groups: Group[], answers: Answers = {}): void {
  const all: Answers = {
    "groups.list": () => ({ groups, users: [ANA, BEN], seq: 10 }),
    "groups.get": ({ group_id }) => ({
      group: groups.find(({ id }) => id === group_id),
      members: people[group_id as number] ?? [ANA],
      posts_count: 3,
      seq: 10,
    }),
    "groups.candidates": () => ({ users: [BEN, CLEO], older: null, seq: 10 }),
    "groups.left_of_mine": () => ({ group_ids: [], seq: 10 }),
    ...answers,
  };
  answer(all, 11);
}
export const pass = (ms: number) => act(async () => void (await vi.advanceTimersByTimeAsync(ms)));
/** Waits until all replies are rendered and the next frame has run. */
export const settle = async () => {
  await pass(0);
  await pass(20);
};

export async function show(groups: Group[], answers: Answers = {}): Promise<void> {
  server(groups, answers);
  render(
    <main>
      <h1 tabIndex={-1}>Manage Groups</h1>
      <ManageGroups />
    </main>,
  );
  await settle();
}
export const article = (name: string) => within(screen.getByRole("article", { name }));
export const dialog = (name: string, role = "dialog") => within(screen.getByRole(role, { name }));
export const press = async (where: ReturnType<typeof within>, name: string, role = "button") => {
  const control = where.getByRole(role, { name });
  control.focus();
  fireEvent.click(control);
  await settle();
};
export const page = () => within(document.body);
export const type = (label: string, value: string) =>
  fireEvent.change(screen.getByRole("textbox", { name: label }), { target: { value } });
export const rows = (name: string) =>
  within(article(name).getByRole("list", { name: "Members" }))
    .getAllByRole("listitem")
    .map((row) => row.textContent.replace(/^(.)\1/u, "$1"));
export const titles = () => screen.queryAllByRole("article").map((one) => one.getAttribute("aria-label"));

export function setUpGroupsPage(): void {
  beforeEach(() => {
    vi.useFakeTimers();
    ask.mockReset();
    toastList.clear();
    vi.stubGlobal(
      "IntersectionObserver",
      class {
        constructor(private readonly seen: (entries: { isIntersecting: boolean }[]) => void) {}
        observe() {
          this.seen([{ isIntersecting: true }]);
        }
        disconnect() {}
      },
    );
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
    vi.unstubAllGlobals();
  });
}
