import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { apply } from "../../engine/apply";
import { store, update } from "../../engine/store";
import { loadPosts } from "../shared/posts/read";
import { FAMILY, aView, anasFeed, toFamily } from "../../testing/fixtures";
import { DeletePost } from "./DeletePost";
import { PostCard } from "./PostCard";
import { SharePost } from "./SharePost";

const ask = vi.hoisted(() => vi.fn());
vi.mock("../../engine/client", () => ({ ask, client: {} }));

beforeEach(() => {
  ask.mockReset();
});
afterEach(cleanup);

describe("a post", () => {
  const view = aView(100, { title: "Morning", text: "two\nlines", tag: "Tea time", tag_key: "tea time" });

  test("is an article named by its author, with title, tag and a link to its page", () => {
    store.setState(anasFeed([view]), true);
    render(<PostCard postId={100} place="card" buttons={null} comments={null} />);
    const article = within(screen.getByRole("article", { name: "Post by Ben" }));
    expect(article.getByRole("link", { name: "Ben" }).getAttribute("href")).toBe("/profile/2");
    expect(article.getByRole("link", { name: "#Tea time" }).getAttribute("href")).toBe("/?tag=Tea%20time");
    expect(
      within(article.getByRole("heading", { name: "Morning" }))
        .getByRole("link")
        .getAttribute("href"),
    ).toBe("/post/100");
    expect(article.getByRole("link", { name: "View full post" })).toBeTruthy();
  });

  test("d-w6: says beside its time that it was imported, in a list and on its own page", () => {
    store.setState(anasFeed([aView(100, { imported: true }), aView(99)]), true);
    for (const place of ["card", "page"] as const) {
      render(<PostCard postId={100} place={place} buttons={null} comments={null} />);
      expect(screen.getByText("Imported").parentElement?.querySelector("time")).toBeTruthy();
      cleanup();
    }
    render(<PostCard postId={99} place="card" buttons={null} comments={null} />);
    expect(screen.queryByText("Imported")).toBe(null);
  });

  test("becomes one line when it is deleted, and the line takes the focus", async () => {
    store.setState(anasFeed([view]), true);
    render(
      <PostCard postId={100} place="card" buttons={<button type="button">in it</button>} comments={null} />,
    );
    screen.getByRole("button", { name: "in it" }).focus();
    update((s) => apply(s, { ev: "posts.deleted", seq: 11, post_id: 100, author_id: 2 }));
    const line = await screen.findByText("Removed");
    expect(screen.queryByRole("article")).toBe(null);
    expect(document.activeElement).toBe(line);
  });

  test("closes its open dialog when it is deleted, and its line takes the focus", async () => {
    store.setState(anasFeed([view]), true);
    render(
      <PostCard
        postId={100}
        place="card"
        buttons={null}
        comments={null}
        owner={<DeletePost postId={100} />}
      />,
    );
    const button = screen.getByRole("button", { name: "Delete" });
    button.focus();
    fireEvent.click(button);
    expect(screen.getByRole("alertdialog", { name: "Delete Post" }).contains(document.activeElement)).toBe(
      true,
    );
    update((s) => apply(s, { ev: "posts.deleted", seq: 11, post_id: 100, author_id: 2 }));
    const line = await screen.findByText("Removed");
    expect(screen.queryByRole("alertdialog")).toBe(null);
    expect(document.activeElement).toBe(line);
  });

  test("says that its deletion waits for the connection, and the dialog can be closed", async () => {
    store.setState({ ...anasFeed([view]), connection: { state: "offline", since: 0 } }, true);
    let answer = (_: { seq: number }): void => undefined;
    ask.mockReturnValue(new Promise<{ seq: number }>((resolve) => (answer = resolve)));
    render(
      <PostCard
        postId={100}
        place="card"
        buttons={null}
        comments={null}
        owner={<DeletePost postId={100} />}
      />,
    );
    const button = screen.getByRole("button", { name: "Delete" });
    button.focus();
    fireEvent.click(button);
    const dialog = within(screen.getByRole("alertdialog"));
    fireEvent.click(dialog.getByRole("button", { name: "Delete" }));
    expect(await dialog.findByText("Saved. It will go out when you're back online.")).toBeTruthy();
    expect(dialog.getByRole<HTMLButtonElement>("button", { name: "Cancel" }).disabled).toBe(false);
    fireEvent.keyDown(document, { key: "Escape" });
    expect(screen.queryByRole("alertdialog")).toBe(null);
    expect(document.activeElement).toBe(button);
    answer({ seq: 12 });
    expect(await screen.findByText("Removed")).toBeTruthy();
  });

  describe("of a group", () => {
    const share = (author_id = 2) =>
      store.setState(
        loadPosts(anasFeed([]), {
          posts: [aView(100, { author_id, audience: toFamily })],
          users: [],
          groups: [FAMILY],
          seq: 10,
        }),
        true,
      );
    const goes = () =>
      update((s) =>
        apply(s, { ev: "groups.left", seq: 12, group_id: FAMILY.id, user_id: 1, members_count: 1 }),
      );

    test("names the group with its current name, and offers no link to share", async () => {
      share();
      render(
        <PostCard
          postId={100}
          place="page"
          buttons={null}
          comments={null}
          share={<SharePost postId={100} />}
        />,
      );
      expect(screen.getByRole("article").textContent).toContain("Shared with Family");
      expect(screen.getByRole("link", { name: "Family" }).getAttribute("href")).toBe("/groups/50");
      expect(screen.queryByRole("button", { name: "Share Post" })).toBe(null);
      act(() => update((s) => apply(s, { ev: "groups.renamed", seq: 11, group_id: FAMILY.id, name: "Kin" })));
      expect(screen.getByRole("article").textContent).toContain("Shared with Kin");
    });

    test("becomes one line in a list and a sentence on its own page when the viewer leaves the group", async () => {
      share();
      const { rerender } = render(
        <PostCard postId={100} place="card" buttons={<button type="button">in it</button>} comments={null} />,
      );
      screen.getByRole("button", { name: "in it" }).focus();
      act(goes);
      const line = screen.getByText("Removed");
      expect(document.activeElement).toBe(line);
      rerender(<PostCard postId={100} place="page" buttons={null} comments={null} />);
      expect(screen.getByText("You no longer have access to this group.")).toBeTruthy();
      expect(screen.queryByRole("article")).toBe(null);
    });

    test("stays visible to its author, and says that the group goes on without them or was deleted", async () => {
      share(1);
      render(<PostCard postId={100} place="card" buttons={null} comments={null} />);
      act(goes);
      expect(screen.getByRole("article").textContent).toContain("Shared with a group you're no longer in");
      share(1);
      act(() => update((s) => apply(s, { ev: "groups.deleted", seq: 13, group_id: FAMILY.id })));
      expect(screen.getByRole("article").textContent).toContain("Shared with a group that no longer exists");
      expect(screen.queryByRole("link", { name: /group/u })).toBe(null);
    });

    test("that its author took out of the group says that only the author sees it", () => {
      store.setState(anasFeed([aView(100, { author_id: 1, audience: { type: "author" } })]), true);
      render(<PostCard postId={100} place="card" buttons={null} comments={null} />);
      expect(screen.getByRole("article").textContent).toContain("Only you see this post.");
      expect(screen.getByRole("article").textContent).not.toContain("Shared with");
    });
  });
});
