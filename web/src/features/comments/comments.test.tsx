import { Profiler } from "react";
import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { RefusedError } from "../../engine/ask";
import { apply } from "../../engine/apply";
import { Covered } from "../shared/posts/covered";
import { loadPosts } from "../shared/posts/read";
import { store, update } from "../../engine/store";
import { aComment, aView, anasFeed, BEN, FAMILY, toFamily } from "../../testing/fixtures";
import { onAnnounce } from "../../ui/announce";
import { Thread } from "./Thread";

const ask = vi.hoisted(() => vi.fn());
vi.mock("../../engine/client", () => ({
  ask,
  client: { onScreen: () => () => undefined, tidy: () => undefined },
}));

const five = [1, 2, 3, 4, 5].map((id) => aComment(id));

function show(count = 5) {
  store.setState(
    anasFeed([aView(100, { comments_count: count, first_comments: five.slice(0, Math.min(2, count)) })]),
    true,
  );
  return render(<Thread postId={100} place="card" />);
}

const texts = () =>
  within(screen.getByRole("list", { name: "Comments" }))
    .getAllByRole("listitem")
    .map((item) => item.textContent ?? "");
const box = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Write a comment" });

beforeEach(() => {
  ask.mockReset();
});
afterEach(() => {
  vi.useRealTimers();
  cleanup();
});

describe("d-u7: the thread of a covered post", () => {
  const covered = (isCovered: boolean) => (
    <Covered value={isCovered}>
      <Thread postId={100} place="page" />
    </Covered>
  );

  test("is loaded on the page of the post although nothing of it is shown, and uncovering it asks for nothing", async () => {
    ask.mockResolvedValue({ comments: five.slice(2), users: [], more: false, comments_count: 5, seq: 11 });
    store.setState(anasFeed([aView(100, { comments_count: 5, first_comments: five.slice(0, 2) })]), true);
    const { container, rerender } = render(covered(true));
    await vi.waitFor(() => expect(store.getState().posts[100]?.thread).toHaveLength(5));
    expect(container.textContent).toBe("");
    expect(screen.queryByRole("textbox")).toBe(null);
    const asked = ask.mock.calls.length;
    rerender(covered(false));
    expect(texts()).toHaveLength(5);
    expect(box()).toBeTruthy();
    expect(ask.mock.calls).toHaveLength(asked);
  });

  test("keeps half a comment until the post is open again", () => {
    show();
    fireEvent.change(box(), { target: { value: "half a thought" } });
    cleanup();
    const { rerender } = render(covered(true));
    expect(screen.queryByDisplayValue("half a thought")).toBe(null);
    rerender(covered(false));
    expect(box().value).toBe("half a thought");
  });
});

describe("a limit on who may comment", () => {
  const allowed = (seq: number, only_for: "followers" | "followed" | null) =>
    act(() => update((s) => apply(s, { ev: "comments.allowed", seq, author_id: BEN.id, only_for })));

  test("replaces the box by a sentence at once, and an unsent comment stays visible", () => {
    show();
    fireEvent.change(box(), { target: { value: "half a thought" } });
    allowed(11, "followers");
    expect(screen.queryByRole("textbox")).toBe(null);
    expect(screen.queryByRole("button", { name: "Reply" })).toBe(null);
    expect(screen.getByText("Only people who follow Ben can comment.")).toBeTruthy();
    expect(screen.getByText("half a thought")).toBeTruthy();
    expect(texts()).toHaveLength(2);
    allowed(12, "followed");
    expect(screen.getByText("Only people Ben follows can comment.")).toBeTruthy();
    allowed(13, null);
    expect(box().value).toBe("half a thought");
    allowed(9, "followed");
    expect(box()).toBeTruthy();
  });

  test("does not apply to posts of a group", () => {
    const view = aView(100, { audience: toFamily, comments_only_for: "followed" });
    store.setState(anasFeed([view]), true);
    render(<Thread postId={100} place="card" />);
    expect(box()).toBeTruthy();
  });

  test("moves the focus from the box to the sentence", async () => {
    show();
    box().focus();
    allowed(11, "followed");
    await vi.waitFor(() =>
      expect(document.activeElement?.textContent).toBe("Only people Ben follows can comment."),
    );
  });
});

describe("a thread", () => {
  test("has delete buttons for the owner of its group", () => {
    const groups = (owner_id: number) => ({
      groups: [{ ...FAMILY, owner_id }],
      posts: [],
      users: [],
      seq: 10,
    });
    const comments = { comments_count: 1, first_comments: [aComment(1)] };
    const read = anasFeed([aView(100, { audience: toFamily, ...comments })]);
    const deletes = (owner_id: number): number => {
      cleanup();
      store.setState(loadPosts(read, groups(owner_id)), true);
      render(<Thread postId={100} place="card" />);
      return screen.queryAllByRole("button", { name: "Delete comment" }).length;
    };
    expect([deletes(1), deletes(BEN.id)]).toEqual([1, 0]);
  });

  test("is not rendered again for a comment under another post", () => {
    const comments = { comments_count: 1, first_comments: [aComment(1)] };
    store.setState(anasFeed([aView(101), aView(100, comments)]), true);
    const rendered = vi.fn();
    render(
      <>
        <Profiler id="of 100" onRender={rendered}>
          <Thread postId={100} place="card" />
        </Profiler>
        <Thread postId={101} place="card" />
      </>,
    );
    rendered.mockClear();
    const comes = (post_id: number, id: number, comments_count: number) =>
      act(() =>
        update((s) =>
          apply(s, {
            ev: "comments.created",
            seq: 10 + id,
            comment: aComment(id, { post_id }),
            users: [],
            comments_count,
          }),
        ),
      );
    comes(101, 2, 1);
    expect(screen.getByText("comment 2")).toBeTruthy();
    expect(rendered).not.toHaveBeenCalled();
    comes(100, 3, 2);
    expect(screen.getByText("comment 3")).toBeTruthy();
    expect(rendered).toHaveBeenCalled();
  });

  test("starts open with the two oldest and says how many more there are", () => {
    show();
    expect(screen.getByRole("button", { name: "5 comments" }).getAttribute("aria-expanded")).toBe("true");
    expect(texts()).toHaveLength(2);
    expect(screen.getByRole("button", { name: "Show 3 more comments" })).toBeTruthy();
  });

  test("shows the rest and folds back to two", async () => {
    show();
    ask.mockResolvedValue({ comments: five.slice(2), users: [BEN], more: false, comments_count: 5, seq: 11 });
    fireEvent.click(screen.getByRole("button", { name: "Show 3 more comments" }));
    await screen.findByText("comment 5");
    expect(texts()).toHaveLength(5);
    fireEvent.click(screen.getByRole("button", { name: "Show less" }));
    expect(texts()).toHaveLength(2);
    expect(screen.getByRole("button", { name: "Show 3 more comments" })).toBeTruthy();
  });

  test("on the page of its post hides the box until it is read, but never again after it was shown", () => {
    const connected = (state: "live" | "offline") =>
      act(() => update((s) => ({ ...s, connection: { ...s.connection, state } })));
    show();
    cleanup();
    ask.mockReturnValue(new Promise(() => undefined));
    const { container } = render(<Thread postId={100} place="page" />);
    const waits = () => container.querySelector("[data-waits]") !== null;
    expect(waits()).toBe(true);
    connected("offline");
    expect(waits()).toBe(false);
    box().focus();
    connected("live");
    expect(waits()).toBe(false);
  });

  test("c29: shows numbers that add up after a live deletion", () => {
    show();
    update((s) =>
      apply(s, {
        ev: "comments.deleted",
        seq: 11,
        post_id: 100,
        comment_id: 1,
        comments_count: 4,
        first_comments: five.slice(1, 3),
        users: [BEN],
      }),
    );
    cleanup();
    render(<Thread postId={100} place="card" />);
    expect(texts()[0]).toContain("comment 2");
    expect(screen.getByRole("button", { name: "Show 2 more comments" })).toBeTruthy();
    expect(screen.getByRole("button", { name: "4 comments" })).toBeTruthy();
  });

  test("says that there are no comments yet", () => {
    show(0);
    expect(screen.getByText("No comments yet")).toBeTruthy();
    expect(screen.queryByRole("list", { name: "Comments" })).toBe(null);
  });
});

describe("a thread of a group", () => {
  const leave = () =>
    act(() =>
      update((s) =>
        apply(s, { ev: "groups.left", seq: 12, group_id: FAMILY.id, user_id: 1, members_count: 1 }),
      ),
    );
  const share = (author_id: number) => {
    store.setState(
      anasFeed([
        aView(100, { author_id, audience: toFamily, comments_count: 1, first_comments: [aComment(1)] }),
      ]),
      true,
    );
    render(
      <div data-post="100">
        <p data-shared tabIndex={-1}>
          Shared
        </p>
        <Thread postId={100} place="page" />
      </div>,
    );
  };

  test("is removed with the group, also for the author of the post, and the post gets the focus", async () => {
    share(1);
    box().focus();
    leave();
    expect(screen.queryByRole("list", { name: "Comments" })).toBe(null);
    expect(screen.queryByRole("textbox")).toBe(null);
    expect(screen.queryByText("No comments yet")).toBe(null);
    await vi.waitFor(() => expect(document.activeElement).toBe(screen.getByText("Shared")));
  });

  test("leaves an unsent comment to copy, also under the viewer's own post", () => {
    for (const author of [2, 1]) {
      share(author);
      fireEvent.change(box(), { target: { value: "half a thought" } });
      leave();
      expect(screen.queryByRole("textbox")).toBe(null);
      expect(screen.getByText("half a thought")).toBeTruthy();
      cleanup();
    }
  });
});

describe("writing a comment", () => {
  test("is impossible while the text is blank or too long", () => {
    show(0);
    const send = () => screen.getByRole<HTMLButtonElement>("button", { name: "Post Comment" });
    act(() => box().focus());
    expect(send().disabled).toBe(true);
    fireEvent.change(box(), { target: { value: "   " } });
    expect(send().disabled).toBe(true);
    fireEvent.change(box(), { target: { value: "🌿".repeat(500) } });
    expect(screen.getByText("500/500")).toBeTruthy();
    expect(send().disabled).toBe(false);
    fireEvent.change(box(), { target: { value: "🌿".repeat(501) } });
    expect(screen.getByText("501/500")).toBeTruthy();
    expect(send().disabled).toBe(true);
  });

  test("shows the comment as pending until the reply, and then once in the list", async () => {
    show(0);
    let answer: (ok: object) => void = () => undefined;
    ask.mockReturnValue(new Promise((resolve) => (answer = resolve)));
    fireEvent.change(box(), { target: { value: "hello" } });
    fireEvent.click(screen.getByRole("button", { name: "Post Comment" }));
    expect(await screen.findByRole("button", { name: "Posting..." })).toBeTruthy();
    expect(texts()[0]).toContain("Posting...");
    expect(box().value).toBe("");
    answer({ comment: aComment(7, { author_id: 1, text: "hello" }), users: [], comments_count: 1, seq: 12 });
    expect(await screen.findByRole("button", { name: "1 comment" })).toBeTruthy();
    expect(texts()).toHaveLength(1);
    expect(box().value).toBe("");
  });

  test("keeps the focus for the box if the event comes before the reply, however long the reply takes", async () => {
    show(0);
    ask.mockReturnValue(new Promise(() => undefined));
    fireEvent.change(box(), { target: { value: "hello" } });
    const send = screen.getByRole("button", { name: "Post Comment" });
    act(() => send.focus());
    fireEvent.click(send);
    act(() =>
      update((s) =>
        apply(s, {
          ev: "comments.created",
          seq: 12,
          comment: aComment(7, { author_id: 1, text: "hello" }),
          comments_count: 1,
          users: [],
        }),
      ),
    );
    expect(screen.getByRole("button", { name: "1 comment" })).toBeTruthy();
    for (let frame = 0; frame < 5; frame += 1) await new Promise(requestAnimationFrame);
    expect(document.activeElement).toBe(send);
  });

  test("starts with one line on a card, which opens when it is used and stays open while it has text", async () => {
    show(0);
    const send = () => screen.queryByRole("button", { name: "Post Comment" });
    expect([send(), screen.queryByText("0/500")]).toEqual([null, null]);
    act(() => box().focus());
    expect(screen.getByText("0/500")).toBeTruthy();
    act(() => send()?.focus());
    act(() => box().blur());
    await vi.waitFor(() => expect(send()).toBe(null));
    fireEvent.change(box(), { target: { value: "half a thought" } });
    expect(send()).toBeTruthy();
    fireEvent.change(box(), { target: { value: "" } });
    expect(send()).toBe(null);
  });

  test("does not fold the box between a press and its release", async () => {
    show(0);
    act(() => box().focus());
    fireEvent.pointerDown(document.body);
    act(() => box().blur());
    await new Promise((resolve) => setTimeout(resolve));
    expect(screen.getByRole("button", { name: "Post Comment" })).toBeTruthy();
    fireEvent.pointerUp(document.body);
    await vi.waitFor(() => expect(screen.queryByRole("button", { name: "Post Comment" })).toBe(null));
  });

  test("starts with an open box on the page of the post", () => {
    show(0);
    cleanup();
    ask.mockReturnValue(new Promise(() => undefined));
    render(<Thread postId={100} place="page" />);
    expect(screen.getByRole("button", { name: "Post Comment" })).toBeTruthy();
  });

  test("keeps the text after a refusal and says so beside the box", async () => {
    show(0);
    ask.mockRejectedValue(new RefusedError("slow_down", "Please wait a little.", null, 60_000));
    fireEvent.change(box(), { target: { value: "hello" } });
    fireEvent.click(screen.getByRole("button", { name: "Post Comment" }));
    expect((await screen.findByRole("alert")).textContent).toBe("Please wait a little. Your words are kept.");
    expect(box().value).toBe("hello");
    cleanup();
    render(<Thread postId={100} place="card" />);
    expect(box().value).toBe("hello");
  });

  test("leaves no text for the next user of this browser", () => {
    show(0);
    fireEvent.change(box(), { target: { value: "half a thought" } });
    cleanup();
    show(0);
    expect(box().value).toBe("");
  });

  test("leaves the text readable if the post is deleted meanwhile", () => {
    show(0);
    fireEvent.change(box(), { target: { value: "half a thought" } });
    act(() => update((s) => apply(s, { ev: "posts.deleted", seq: 11, post_id: 100, author_id: 2 })));
    expect(screen.queryByRole("textbox")).toBe(null);
    expect(screen.getByText("half a thought")).toBeTruthy();
  });

  test("lets only its author and the author of the post delete it", async () => {
    show();
    expect(screen.queryByRole("button", { name: "Delete comment" })).toBe(null);
    cleanup();
    store.setState(
      anasFeed([aView(100, { author_id: 1, comments_count: 1, first_comments: [aComment(1)] })]),
      true,
    );
    render(<Thread postId={100} place="card" />);
    fireEvent.click(screen.getByRole("button", { name: "Delete comment" }));
    const dialog = await screen.findByRole("alertdialog", { name: "Delete Comment" });
    expect(dialog.textContent).toContain(
      "Are you sure you want to delete this comment? This action cannot be undone.",
    );
    // A failure is announced when the question is gone, because the page behind it is inert.
    ask.mockRejectedValueOnce(new RefusedError("busy", "Busy.", null, 0));
    fireEvent.click(within(dialog).getByRole("button", { name: "Delete" }));
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toBe("That comment is still here. Please try again.");
    expect([alert.closest("[inert]"), screen.queryByRole("alertdialog")]).toEqual([null, null]);
  });

  test("says aloud that older comments could not be loaded", async () => {
    show();
    ask.mockRejectedValueOnce(new RefusedError("lost", "Lost.", null, 0));
    fireEvent.click(screen.getByRole("button", { name: "Show 3 more comments" }));
    expect((await screen.findByRole("alert")).textContent).toBe(
      "Couldn't load comments. Your text is safe. Try again.",
    );
  });

  test("says aloud that a comment without a connection is kept", () => {
    const said: string[] = [];
    const stop = onAnnounce("polite", ({ text }) => said.push(text));
    show(0);
    ask.mockReturnValue(new Promise(() => undefined));
    update((s) => ({ ...s, connection: { ...s.connection, state: "offline" as const } }));
    fireEvent.change(box(), { target: { value: "hello" } });
    fireEvent.click(screen.getByRole("button", { name: "Post Comment" }));
    expect(texts()[0]).toContain("Saved. It will go out when you're back online.");
    expect(said).toEqual(["Saved. It will go out when you're back online."]);
    stop();
  });
});
