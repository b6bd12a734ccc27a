import { act, fireEvent, render, screen, within } from "@testing-library/react";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { apply } from "../../engine/apply";
import type { AnyEvent } from "../../engine/frames";
import { store, update } from "../../engine/store";
import { refreshFirstPage } from "../../features/shared/posts/read";
import { SAVED_VIEW } from "../../features/shared/posts/types";
import { ANA, BEN, aDeletion, aView, anasFeed } from "../../testing/fixtures";
import type { Answers } from "../../testing/mockClient";
import { answer, ask, asked } from "../../testing/mockClient";
import { toasts } from "../../testing/toasts";
import { toastList } from "../../ui/toast";
import SavedScreen from "./SavedScreen";

vi.mock("../../engine/client", () => import("../../testing/mockClient"));

const page = (ids: number[], older: number | null = null, seq = 10) => ({
  posts: ids.map((id) => aView(id, { saved: true })),
  users: [ANA, BEN],
  groups: [],
  older,
  seq,
});

const server = (answers: Answers) =>
  answer({ "saved.set": ({ post_id, saved }) => ({ post_id, saved, seq: 12 }), ...answers }, 11);

const articles = () => screen.queryAllByRole("article");
const shows = (...ids: number[]) =>
  vi.waitFor(() =>
    expect(articles().map((article) => /post \d+/u.exec(article.textContent)?.[0])).toEqual(
      ids.map((id) => `post ${String(id)}`),
    ),
  );

async function opens(...ids: number[]): Promise<void> {
  server({ "posts.saved": () => page(ids) });
  render(<SavedScreen />);
  await shows(...ids);
}

const happens = (event: AnyEvent) => act(() => update((s) => apply(s, event)));
const saved = (seq: number, post_id: number, is: boolean): AnyEvent => ({
  ev: "saved.changed",
  seq,
  post_id,
  saved: is,
});

/** Focuses the first link of a post. */
const focuses = (nth: number) =>
  within(articles()[nth] as HTMLElement)
    .getAllByRole("link")[0]
    ?.focus();
const focusedPost = () => (document.activeElement as HTMLElement).dataset["item"];

beforeEach(() => {
  ask.mockReset();
  toastList.clear();
  store.setState(anasFeed([]), true);
});

describe("the page of saved posts", () => {
  test("has the latest saved first, and older ones on request", async () => {
    server({ "posts.saved": ({ before }) => (before === null ? page([100, 102], 77) : page([101])) });
    render(<SavedScreen />);
    expect(screen.getByRole("heading", { level: 1, name: "Saved" })).toBeTruthy();
    await shows(100, 102);
    fireEvent.click(screen.getByRole("button", { name: "Show older posts" }));
    await shows(100, 102, 101);
    expect(asked("posts.saved")).toEqual([{ before: null }, { before: 77 }]);
    // The last post of the list is not the oldest one.
    expect(screen.queryByText(/everything since|caught up/u)).toBe(null);
  });

  test("says that nothing is saved yet, and how that is done", async () => {
    await opens();
    expect(await screen.findByRole("heading", { name: "Nothing saved yet." })).toBeTruthy();
    expect(screen.getByText(/Save Post in the menu of a post/u)).toBeTruthy();
    expect(screen.queryByRole("list", { name: "Posts" })).toBe(null);
  });

  test("d-u10: has what was saved on another device on top at once, and keeps the pages that were read", async () => {
    server({ "posts.saved": ({ before }) => (before === null ? page([102, 101], 77) : page([100])) });
    render(<SavedScreen />);
    fireEvent.click(await screen.findByRole("button", { name: "Show older posts" }));
    await shows(102, 101, 100);
    server({ "posts.saved": () => page([99, 102], 78, 12) });
    happens(saved(12, 99, true));
    await shows(99, 102, 101, 100);
    expect(screen.queryByRole("button", { name: "1 new post" })).toBe(null);
    expect(screen.queryByRole("button", { name: "Show older posts" })).toBe(null);
    happens(saved(13, 101, false));
    await shows(99, 102, 100);
    expect(asked("posts.saved")).toHaveLength(3);
  });

  test("d-u11: keeps no line of a deleted post, and the next one gets its focus", async () => {
    await opens(102, 101, 100);
    focuses(1);
    happens(aDeletion(11, 101));
    await shows(102, 100);
    expect(screen.queryByText("Removed")).toBe(null);
    await vi.waitFor(() => expect(focusedPost()).toBe("100"));
    focuses(1);
    happens(aDeletion(12, 100));
    await vi.waitFor(() => expect(focusedPost()).toBe("102"));
  });

  test("takes no focus for a post in which it was not", async () => {
    await opens(102, 101, 100);
    focuses(0);
    const link = document.activeElement;
    happens(aDeletion(11, 101));
    await shows(102, 100);
    expect(document.activeElement).toBe(link);
  });

  test("drops a post at the press of Remove from Saved", async () => {
    await opens(101, 100);
    const card = within(articles()[0] as HTMLElement);
    fireEvent.click(await card.findByRole("button", { name: "Post menu" }));
    fireEvent.click(card.getByRole("menuitem", { name: "Remove from Saved" }));
    await shows(100);
    expect(asked("saved.set")).toMatchObject([{ post_id: 101, saved: false }]);
    expect(toasts()).toEqual(["Removed from saved"]);
    await vi.waitFor(() => expect(focusedPost()).toBe("100"));
    expect(asked("posts.saved")).toHaveLength(1);
  });

  test("d-u11: stays as it is when an author is muted", async () => {
    await opens(101, 100);
    happens({ ev: "people.changed", seq: 11, user_id: BEN.id, blocked: false, muted: true });
    await shows(101, 100);
  });

  test("is read again in its own order after a resync", async () => {
    await opens(100, 102);
    server({ "posts.saved": () => page([101, 100], null, 20) });
    // Another device removed a post, which the page learns by reading its posts again.
    act(() =>
      update((s) => {
        const post = s.posts[102];
        const posts = post === undefined ? s.posts : { ...s.posts, 102: { ...post, saved: false } };
        return refreshFirstPage({ ...s, posts }, SAVED_VIEW, page([101, 100], null, 20));
      }),
    );
    await shows(101, 100);
  });
});
