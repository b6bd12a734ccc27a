import { act, fireEvent, render, screen, within } from "@testing-library/react";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { apply } from "../../engine/apply";
import { store, update } from "../../engine/store";
import type { Ok } from "../../engine/frames";
import { ANA, BEN, aProfile, aView, anasFeed } from "../../testing/fixtures";
import type { Answers } from "../../testing/mockClient";
import { answer, ask, asked, refuse } from "../../testing/mockClient";
import ProfileScreen from "./ProfileScreen";

vi.mock("../../engine/client", () => import("../../testing/mockClient"));

const page = (ids: number[], older: number | null = null): Ok<"posts.search"> => ({
  posts: ids.map((id) => aView(id, { author_id: ANA.id, positive_count: 0 })),
  users: [ANA],
  groups: [],
  older,
  older_at_ms: older,
  seq: 10,
});

function server(answers: Answers): void {
  const all: Answers = {
    "profiles.get": ({ user_id }) => ({
      profile: aProfile(user_id === ANA.id ? { ...ANA } : { ...BEN }),
      seq: 10,
    }),
    "posts.by_author": () => page([102, 101, 100]),
    ...answers,
  };
  answer(all, 11);
}

const box = () => screen.findByRole<HTMLInputElement>("searchbox", { name: "Search your posts" });
const type = async (value: string) => fireEvent.change(await box(), { target: { value } });
const enter = async () => {
  const { form } = await box();
  if (form !== null) fireEvent.submit(form);
};
const texts = () =>
  within(screen.getByRole("list", { name: "Posts" }))
    .getAllByRole("listitem")
    .filter((item) => item.dataset["item"] !== undefined)
    .map((item) => /post \d+|Removed/u.exec(item.textContent ?? "")?.[0]);
const lists = (...ids: number[]) =>
  vi.waitFor(() => expect(texts()).toEqual(ids.map((id) => `post ${String(id)}`)));

beforeEach(() => {
  ask.mockReset();
  store.setState(anasFeed([]), true);
});

describe("d-u12: the search in one's own posts", () => {
  test("puts what it found in the place of all posts, until the box is emptied", async () => {
    server({ "posts.search": () => page([101]) });
    render(<ProfileScreen userId={ANA.id} />);
    await lists(102, 101, 100);
    await type("  tea   time ");
    await lists(101);
    expect(asked("posts.search")).toEqual([{ term: "tea time", before: null, before_at_ms: null }]);
    expect(screen.queryByText("You're all caught up.")).toBe(null);
    expect(screen.getByRole("button", { name: "Delete" })).toBeTruthy();
    expect(location.href).not.toContain("tea");
    fireEvent.keyDown(await box(), { key: "Escape" });
    expect((await box()).value).toBe("");
    await lists(102, 101, 100);
    expect(asked("posts.by_author")).toHaveLength(1);
  });

  test("says that no post has these words, and keeps the posts until it knows", async () => {
    let reply: (found: object) => void = () => undefined;
    server({ "posts.search": () => new Promise((resolve) => (reply = resolve)) });
    render(<ProfileScreen userId={ANA.id} />);
    await lists(102, 101, 100);
    await type("nowhere");
    await enter();
    await vi.waitFor(() => expect(asked("posts.search")).toHaveLength(1));
    await lists(102, 101, 100);
    act(() => reply(page([])));
    expect(await screen.findByText("None of your posts has these words.")).toBeTruthy();
    expect(screen.queryByRole("list", { name: "Posts" })).toBe(null);
  });

  test("shows only what the newest search found", async () => {
    const replies: ((found: object) => void)[] = [];
    server({ "posts.search": () => new Promise((resolve) => replies.push(resolve)) });
    render(<ProfileScreen userId={ANA.id} />);
    await lists(102, 101, 100);
    await type("tea");
    await enter();
    await type("tern");
    await enter();
    await vi.waitFor(() => expect(replies).toHaveLength(2));
    act(() => replies[1]?.(page([100])));
    await lists(100);
    act(() => replies[0]?.(page([102])));
    await act(async () => undefined);
    expect(texts()).toEqual(["post 100"]);
  });

  test("reads older posts with the same words", async () => {
    server({ "posts.search": ({ before }) => (before === null ? page([102, 101], 101) : page([100])) });
    render(<ProfileScreen userId={ANA.id} />);
    await type("a:b c");
    await lists(102, 101);
    fireEvent.click(screen.getByRole("button", { name: "Show older posts" }));
    await lists(102, 101, 100);
    expect(asked("posts.search")[1]).toEqual({ term: "a:b c", before: 101, before_at_ms: 101 });
  });

  test("shows that a post it found was edited or deleted", async () => {
    server({ "posts.search": () => page([102, 101]) });
    render(<ProfileScreen userId={ANA.id} />);
    await type("post");
    await lists(102, 101);
    const edited = { title: null, text: "post 7 now", content_note: null, groups: [] };
    act(() =>
      update((s) =>
        apply(s, {
          ev: "posts.updated",
          seq: 12,
          post_id: 102,
          author_id: ANA.id,
          updated_at_ms: 103,
          audience: { type: "public" },
          ...edited,
        }),
      ),
    );
    act(() => update((s) => apply(s, { ev: "posts.deleted", seq: 13, post_id: 101, author_id: ANA.id })));
    await vi.waitFor(() => expect(texts()).toEqual(["post 7", "Removed"]));
  });

  test("d-m1: says that it failed, and can try again", async () => {
    server({ "posts.search": refuse("timeout", "Too long.", null, 0) });
    render(<ProfileScreen userId={ANA.id} />);
    await type("tea");
    // The list that takes the place of all posts reads them once more by itself.
    await vi.waitFor(() => expect(asked("posts.search")).toHaveLength(2));
    const again = await screen.findByRole("button", { name: /try again/iu });
    server({ "posts.search": () => page([101]) });
    fireEvent.click(again);
    await lists(101);
  });

  test("is not on the profiles of others", async () => {
    server({});
    render(<ProfileScreen userId={BEN.id} />);
    await lists(102, 101, 100);
    expect(screen.queryByRole("searchbox")).toBe(null);
  });
});
