import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { RefusedError } from "../../wire/ask";
import { apply } from "../../store/apply";
import { store, update } from "../../store/store";
import { aComment, aView, anasFeed, BEN } from "../../store/testing";
import { Thread } from "./Thread";

const ask = vi.hoisted(() => vi.fn());
vi.mock("../../store/client", () => ({ ask, client: { hold: () => () => undefined, tidy: () => undefined } }));

const five = [1, 2, 3, 4, 5].map((id) => aComment(id));

function show(count = 5) {
  store.setState(anasFeed([aView(100, { comments_count: count, first_comments: five.slice(0, Math.min(2, count)) })]), true);
  return render(<Thread postId={100} place="card" />);
}

const texts = () => within(screen.getByRole("list", { name: "Comments" })).getAllByRole("listitem").map((item) => item.textContent ?? "");
const box = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Write a comment" });

beforeEach(() => {
  ask.mockReset();
});
afterEach(cleanup);

describe("a thread", () => {
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

  test("c29: after a live deletion the numbers still add up", () => {
    show();
    update((s) =>
      apply(s, { ev: "comments.deleted", seq: 11, post_id: 100, comment_id: 1, comments_count: 4, first_comments: five.slice(1, 3), users: [BEN] }),
    );
    cleanup();
    render(<Thread postId={100} place="card" />);
    expect(texts()[0]).toContain("comment 2");
    expect(screen.getByRole("button", { name: "Show 2 more comments" })).toBeTruthy();
    expect(screen.getByRole("button", { name: "4 comments" })).toBeTruthy();
  });

  test("an empty one says so", () => {
    show(0);
    expect(screen.getByText("No comments yet")).toBeTruthy();
    expect(screen.queryByRole("list", { name: "Comments" })).toBe(null);
  });
});

describe("writing a comment", () => {
  test("blank or too long words cannot be sent, and stay", () => {
    show(0);
    const send = () => screen.getByRole<HTMLButtonElement>("button", { name: "Post Comment" });
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

  test("is pending until it is answered, then the box is empty and the comment stands once", async () => {
    show(0);
    let answer: (ok: object) => void = () => undefined;
    ask.mockReturnValue(new Promise((resolve) => (answer = resolve)));
    fireEvent.change(box(), { target: { value: "hello" } });
    fireEvent.click(screen.getByRole("button", { name: "Post Comment" }));
    expect(await screen.findByRole("button", { name: "Posting..." })).toBeTruthy();
    expect(texts()[0]).toContain("Posting...");
    answer({ comment: aComment(7, { author_id: 1, text: "hello" }), users: [], comments_count: 1, seq: 12 });
    await vi.waitFor(() => expect(box().value).toBe(""));
    expect(texts()).toHaveLength(1);
    expect(screen.getByRole("button", { name: "1 comment" })).toBeTruthy();
  });

  test("a refusal keeps the words and says so beside the box", async () => {
    show(0);
    ask.mockRejectedValue(new RefusedError("slow_down", "Please wait a little.", null, 60_000));
    fireEvent.change(box(), { target: { value: "hello" } });
    fireEvent.click(screen.getByRole("button", { name: "Post Comment" }));
    expect(await screen.findByText("Please wait a little. Your words are kept.")).toBeTruthy();
    expect(box().value).toBe("hello");
    cleanup();
    render(<Thread postId={100} place="card" />);
    expect(box().value).toBe("hello");
  });

  test("goes with its writer: the next person of this browser finds an empty box", () => {
    show(0);
    fireEvent.change(box(), { target: { value: "half a thought" } });
    cleanup();
    show(0);
    expect(box().value).toBe("");
  });

  test("words under a post that was deleted meanwhile can still be read", () => {
    show(0);
    fireEvent.change(box(), { target: { value: "half a thought" } });
    act(() => update((s) => apply(s, { ev: "posts.deleted", seq: 11, post_id: 100, author_id: 2 })));
    expect(screen.queryByRole("textbox")).toBe(null);
    expect(screen.getByText("half a thought")).toBeTruthy();
  });

  test("only the comment's author and the post's may delete it", () => {
    show();
    expect(screen.queryByRole("button", { name: "Delete comment" })).toBe(null);
    cleanup();
    store.setState(anasFeed([aView(100, { author_id: 1, comments_count: 1, first_comments: [aComment(1)] })]), true);
    render(<Thread postId={100} place="card" />);
    fireEvent.click(screen.getByRole("button", { name: "Delete comment" }));
    const dialog = screen.getByRole("alertdialog", { name: "Delete Comment" });
    expect(dialog.textContent).toContain("Are you sure you want to delete this comment? This action cannot be undone.");
  });
});
