import { act, fireEvent, render, screen, within } from "@testing-library/react";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { apply } from "../../engine/apply";
import { store, update } from "../../engine/store";
import type { Group } from "../../engine/types.gen";
import { ANA, BEN, FAMILY, aGroup, aPost, aView, anasFeed, created, toFamily } from "../../testing/fixtures";
import type { Answers } from "../../testing/mockClient";
import { answer, ask, asked, refuse } from "../../testing/mockClient";
import GroupScreen from "./GroupScreen";

vi.mock("../../engine/client", () => import("../../testing/mockClient"));

const page = (ids: number[], older: number | null = null) => ({
  posts: ids.map((id) => aView(id, { audience: toFamily })),
  users: [ANA, BEN],
  groups: ids.length > 0 ? [FAMILY] : [],
  older,
  seq: 10,
});

function server(groups: Group[], answers: Answers = {}): void {
  const all: Answers = {
    "groups.list": () => ({ groups, users: [ANA, BEN], seq: 10 }),
    "posts.by_group": () => page([101, 100]),
    ...answers,
  };
  answer(all, 11);
}

const heading = (name: string) => screen.findByRole("heading", { level: 1, name });
const texts = async () =>
  within(await screen.findByRole("list", { name: "Posts" }))
    .getAllByRole("article")
    .map((article) => /post \d+/u.exec(article.textContent)?.[0]);

beforeEach(() => {
  ask.mockReset();
  store.setState(anasFeed([]), true);
});

describe("the page of a group", () => {
  test("has its name as the heading, and its posts with those that come", async () => {
    server([aGroup()], {
      "posts.refresh": () => ({ ...page([102]), gone: [] }),
    });
    render(<GroupScreen groupId={FAMILY.id} />);
    await heading("Family");
    await vi.waitFor(async () => expect(await texts()).toEqual(["post 101", "post 100"]));
    expect(asked("posts.by_group")).toEqual([{ group_id: FAMILY.id, before: null }]);
    act(() => update((s) => apply(s, created(11, aPost(102, { audience: toFamily }), [FAMILY]))));
    fireEvent.click(await screen.findByRole("button", { name: "1 new post" }));
    await vi.waitFor(async () => expect(await texts()).toEqual(["post 102", "post 101", "post 100"]));
    act(() =>
      update((s) => apply(s, { ev: "groups.renamed", seq: 12, group_id: FAMILY.id, name: "The family" })),
    );
    await heading("The family");
  });

  test("reads older posts", async () => {
    server([aGroup()], {
      "posts.by_group": ({ before }) => (before === null ? page([101, 100], 100) : page([99])),
    });
    render(<GroupScreen groupId={FAMILY.id} />);
    fireEvent.click(await screen.findByRole("button", { name: "Show older posts" }));
    await vi.waitFor(async () => expect(await texts()).toEqual(["post 101", "post 100", "post 99"]));
    expect(asked("posts.by_group")[1]).toEqual({ group_id: FAMILY.id, before: 100 });
  });

  test("says how many are in it and who added the viewer, and leads to all groups", async () => {
    server([aGroup({ owner_id: BEN.id, members_count: 3 })], { "posts.by_group": () => page([]) });
    render(<GroupScreen groupId={FAMILY.id} />);
    await heading("Family");
    expect(await screen.findByText("3 members")).toBeTruthy();
    expect(screen.getByText("Ben", { selector: "bdi" }).parentElement?.textContent).toBe("Added by Ben");
    expect(screen.getByRole("link", { name: "Manage Groups" }).getAttribute("href")).toBe("/groups");
    expect(screen.getByRole("link", { name: "Create Post" }).getAttribute("href")).toBe(
      `/create-post?group=${FAMILY.id}`,
    );
  });

  test("without posts leads to a post for this group", async () => {
    server([aGroup()], { "posts.by_group": () => page([]) });
    render(<GroupScreen groupId={FAMILY.id} />);
    expect(await screen.findByRole("heading", { name: "Nothing shared here yet." })).toBeTruthy();
    expect(screen.getByRole("link", { name: "Create Post" }).getAttribute("href")).toBe(
      `/create-post?group=${FAMILY.id}`,
    );
  });

  test("d-x2: is that of an unknown address for a group that the viewer is not in, and for anything else", async () => {
    server([aGroup({ id: 60, name: "Walks" })]);
    for (const groupId of [FAMILY.id, null]) {
      const { unmount } = render(<GroupScreen groupId={groupId} />);
      await heading("Page not found");
      unmount();
    }
    expect(asked("posts.by_group")).toEqual([]);
  });

  test("d-x2: becomes that of an unknown address when the viewer is removed, and returns with the viewer", async () => {
    server([aGroup()]);
    render(<GroupScreen groupId={FAMILY.id} />);
    await texts();
    const left = { group_id: FAMILY.id, user_id: ANA.id, members_count: 1 };
    act(() => update((s) => apply(s, { ev: "groups.left", seq: 12, ...left })));
    await heading("Page not found");
    expect(screen.queryByText("Family")).toBe(null);
    act(() =>
      update((s) =>
        apply(s, { ev: "groups.joined", seq: 13, group: aGroup(), user_ids: [ANA.id], users: [ANA] }),
      ),
    );
    await heading("Family");
    expect(asked("posts.by_group")).toHaveLength(2);
  });

  test("d-m1: says that loading failed, and can try again", async () => {
    server([aGroup()], { "groups.list": refuse("timeout", "Too long.", null, 0) });
    render(<GroupScreen groupId={FAMILY.id} />);
    const again = await screen.findByRole("button", { name: /try again/iu });
    server([aGroup()]);
    fireEvent.click(again);
    await heading("Family");
  });
});
