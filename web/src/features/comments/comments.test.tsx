import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { RefusedError } from "../../engine/ask";
import { apply } from "../../engine/apply";
import { storeUsers } from "../shared/people/people";
import { loadPosts } from "../shared/posts/read";
import { store, update } from "../../engine/store";
import { aComment, aMe, aView, anasFeed, BEN, FAMILY, toFamily } from "../../testing/fixtures";
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

describe("comments that are for fewer people", () => {
  const allowed = (seq: number, only_for: "followers" | "followed" | null) =>
    act(() => update((s) => apply(s, { ev: "comments.allowed", seq, author_id: BEN.id, only_for })));

  test("have words in place of the box, at once, and what was half written stays in sight", () => {
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

  test("are for all members in a group", () => {
    const view = aView(100, { audience: toFamily, comments_only_for: "followed" });
    store.setState(anasFeed([view]), true);
    render(<Thread postId={100} place="card" />);
    expect(box()).toBeTruthy();
  });

  test("do not take the focus to nowhere", async () => {
    show();
    box().focus();
    allowed(11, "followed");
    await vi.waitFor(() =>
      expect(document.activeElement?.textContent).toBe("Only people Ben follows can comment."),
    );
  });
});

describe("a thread", () => {
  test("lets the owner of its group delete comments of others", () => {
    const groups = (owner_id: number) => ({
      groups: [{ ...FAMILY, owner_id }],
      posts: [],
      users: [],
      seq: 10,
    });
    const said = { comments_count: 1, first_comments: [aComment(1)] };
    const read = anasFeed([aView(100, { audience: toFamily, ...said })]);
    const deletes = (owner_id: number): number => {
      cleanup();
      store.setState(loadPosts(read, groups(owner_id)), true);
      render(<Thread postId={100} place="card" />);
      return screen.queryAllByRole("button", { name: "Delete comment" }).length;
    };
    expect([deletes(1), deletes(BEN.id)]).toEqual([1, 0]);
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

  test("c29: after a live deletion the numbers still add up", () => {
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

  test("an empty one says so", () => {
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

  test("is gone with the group for the post's author too, and the focus goes to what says so", async () => {
    share(1);
    box().focus();
    leave();
    expect(screen.queryByRole("list", { name: "Comments" })).toBe(null);
    expect(screen.queryByRole("textbox")).toBe(null);
    expect(screen.queryByText("No comments yet")).toBe(null);
    await vi.waitFor(() => expect(document.activeElement).toBe(screen.getByText("Shared")));
  });

  test("leaves what was being written in it to be taken elsewhere, under one's own post too", () => {
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
  test("blank or too long words cannot be sent, and stay", () => {
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

  test("is pending until it is answered, then the box is empty and the comment stands once", async () => {
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

  test("is one line on a card until it is used, and stays open while it holds words", async () => {
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

  test("does not fold between a press and its release", async () => {
    show(0);
    act(() => box().focus());
    fireEvent.pointerDown(document.body);
    act(() => box().blur());
    await new Promise((resolve) => setTimeout(resolve));
    expect(screen.getByRole("button", { name: "Post Comment" })).toBeTruthy();
    fireEvent.pointerUp(document.body);
    await vi.waitFor(() => expect(screen.queryByRole("button", { name: "Post Comment" })).toBe(null));
  });

  test("is whole on the post's own page", () => {
    show(0);
    cleanup();
    ask.mockReturnValue(new Promise(() => undefined));
    render(<Thread postId={100} place="page" />);
    expect(screen.getByRole("button", { name: "Post Comment" })).toBeTruthy();
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

  test("is removed with its author: the next user of this browser finds an empty box", () => {
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

  test("only the comment's author and the post's may delete it", async () => {
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
  });
});

describe("mentions", () => {
  const ZOE = { id: 3, name: "Zoë 🌿", photo_url: null };
  const KIM = { id: 5, name: "Kim", photo_url: null };
  const OTHER_KIM = { id: 6, name: "Kim", photo_url: null };

  /** Types at the end of the box, as a hand does. */
  function type(more: string): void {
    const area = box();
    const value = area.value + more;
    fireEvent.change(area, { target: { value, selectionStart: value.length, selectionEnd: value.length } });
  }
  const options = () => within(screen.getByRole("listbox", { name: "People" })).getAllByRole("option");
  const offered = (...users: object[]) =>
    ask.mockImplementation(async (op: string) =>
      op === "comments.mentionable" ? { users, seq: 10 } : undefined,
    );
  const asked = () =>
    ask.mock.calls
      .filter(([op]) => op === "comments.mentionable")
      .map(([, fields]) => (fields as { term: string }).term);

  test("show as links under the present name; without anybody as the words they were", () => {
    show(0);
    const text = "hi @3+Old_Name and @9+Gone_Soul, see https://example.org/a";
    act(() => update((s) => storeUsers(s, [ZOE], 10)));
    act(() =>
      update((s) =>
        apply(s, {
          ev: "comments.created",
          seq: 11,
          comment: aComment(1, { text }),
          users: [BEN, ZOE],
          comments_count: 1,
        }),
      ),
    );
    const comment = screen.getByRole("listitem");
    const link = within(comment).getByRole("link", { name: "@Zoë 🌿" });
    expect(link.getAttribute("href")).toBe("/profile/3");
    expect(comment.textContent).toContain("hi @Zoë 🌿 and @Gone Soul, see https://example.org/a");
    expect(within(comment).queryByRole("link", { name: /Gone/ })).toBe(null);
    expect(within(comment).getByRole("link", { name: "https://example.org/a" })).toBeTruthy();
    act(() => update((s) => apply(s, { ev: "users.changed", seq: 12, user: { ...ZOE, name: "Zoë Ek" } })));
    expect(within(comment).getByRole("link", { name: "@Zoë Ek" })).toBeTruthy();
    act(() => update((s) => apply(s, { ev: "users.deleted", seq: 13, user_id: 3 })));
    expect(comment.textContent).toContain("hi @Old Name and");
  });

  test("are text and never markup", () => {
    show(0);
    const text = "@9+<img/src=x/onerror=alert(1)> @3+x";
    const name = '<b onclick="alert(1)">B</b>';
    act(() =>
      update((s) =>
        apply(s, {
          ev: "comments.created",
          seq: 11,
          comment: aComment(1, { text }),
          users: [BEN, { ...ZOE, name }],
          comments_count: 1,
        }),
      ),
    );
    expect(screen.getByRole("listitem").querySelector("img, b")).toBe(null);
    expect(screen.getByRole("link", { name: `@${name}` })).toBeTruthy();
  });

  test("are offered while they are typed, and travel as tokens", async () => {
    show(0);
    offered(ZOE, KIM);
    type("hi @z");
    expect((await screen.findAllByRole("option")).map((option) => option.textContent)).toEqual([
      "Z🌿Zoë 🌿",
      "KKim",
    ]);
    expect(box().getAttribute("aria-controls")).toBe(screen.getByRole("listbox").id);
    expect(box().getAttribute("aria-activedescendant")).toBe(options()[0]?.id);
    fireEvent.click(options()[0] as HTMLElement);
    expect(box().value).toBe("hi @Zoë 🌿 ");
    expect(screen.queryByRole("listbox")).toBe(null);
    expect(box().hasAttribute("aria-controls")).toBe(false);
    expect(screen.getByText("9/500")).toBeTruthy();
    type("yes");
    expect(screen.getByText("13/500")).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Post Comment" }));
    expect(ask).toHaveBeenCalledWith(
      "comments.create",
      expect.objectContaining({ text: "hi @3+Zoë_🌿 yes" }),
    );
  });

  test("are chosen with the keys: arrows, Enter, Tab; Escape leaves the words", async () => {
    show(0);
    offered(KIM, OTHER_KIM);
    const press = (key: string) => fireEvent.keyDown(box(), { key });
    type("@k");
    await screen.findByRole("listbox");
    press("ArrowDown");
    expect(options().map((option) => option.getAttribute("aria-selected"))).toEqual(["false", "true"]);
    expect(press("Enter")).toBe(false);
    expect(box().value).toBe("@Kim ");
    type("@k");
    await screen.findByRole("listbox");
    press("ArrowUp");
    press("ArrowDown");
    expect(press("Tab")).toBe(false);
    expect(box().value).toBe("@Kim @Kim ");
    type("@k");
    await screen.findByRole("listbox");
    press("Escape");
    expect(screen.queryByRole("listbox")).toBe(null);
    expect(box().value).toBe("@Kim @Kim @k");
    expect(press("Enter")).toBe(true);
    expect(store.getState().meant[100]?.map((one) => one.id)).toEqual([6, 5]);
    // Left once, it stays away from this word; the next one is offered again.
    type("im");
    expect(screen.queryByRole("listbox")).toBe(null);
    expect(press("Enter")).toBe(true);
    type(" @k");
    await screen.findByRole("listbox");
    // Also where one stood that was left.
    for (const end of ["Escape", "Enter"]) {
      act(() => update((s) => ({ ...s, drafts: {}, meant: {} })));
      for (const letter of "@k") type(letter);
      await screen.findByRole("listbox");
      press(end);
      expect(screen.queryByRole("listbox")).toBe(null);
    }
  });

  test("put the caret behind them once, also where the name was typed completely", async () => {
    show(0);
    offered(KIM);
    type("@Kim you");
    act(() => {
      box().setSelectionRange(4, 4);
      fireEvent.change(box(), { target: { value: "@Kim, you" } });
      fireEvent.change(box(), { target: { value: "@Kim you", selectionStart: 4 } });
    });
    await screen.findByRole("listbox");
    fireEvent.keyDown(box(), { key: "Enter" });
    expect([box().value, box().selectionStart]).toEqual(["@Kim you", 5]);
    fireEvent.change(box(), { target: { value: "@Kim you!" } });
    expect(box().selectionStart).toBe(9);
  });

  test("are requested when typing pauses, and a reply to older text is not shown", async () => {
    show(0);
    const answers: Record<string, (users: object[]) => void> = {};
    ask.mockImplementation(
      (_op: string, { term }: { term: string }) =>
        new Promise((resolve) => (answers[term] = (users) => resolve({ users, seq: 10 }))),
    );
    type("@");
    type("z");
    await vi.waitFor(() => expect(asked()).toEqual(["z"]));
    type("o");
    await vi.waitFor(() => expect(asked()).toEqual(["z", "zo"]));
    await act(async () => answers["z"]?.([KIM]));
    expect(screen.queryByRole("listbox")).toBe(null);
    await act(async () => answers["zo"]?.([ZOE]));
    expect(options()).toHaveLength(1);
    // Who no longer fits is gone before the server has said so.
    type("x");
    expect(screen.queryByRole("listbox")).toBe(null);
  });

  test("are offered under their present name, and not once they are gone", async () => {
    show(0);
    offered(KIM, ZOE);
    type("@");
    await screen.findByRole("listbox");
    act(() => update((s) => apply(s, { ev: "users.changed", seq: 20, user: { ...KIM, name: "Kimberly" } })));
    expect(options().map((option) => option.textContent)).toEqual(["KKimberly", "Z🌿Zoë 🌿"]);
    act(() => update((s) => apply(s, { ev: "users.deleted", seq: 21, user_id: ZOE.id })));
    expect(options().map((option) => option.textContent)).toEqual(["KKimberly"]);
    fireEvent.keyDown(box(), { key: "Enter" });
    expect(box().value).toBe("@Kimberly ");
  });

  test("with no match are not requested again for longer text", async () => {
    show(0);
    offered();
    type("@q");
    await vi.waitFor(() => expect(asked()).toEqual(["q"]));
    vi.useFakeTimers();
    type("u");
    type("e");
    act(() => void vi.runAllTimers());
    expect(asked()).toEqual(["q"]);
    expect(screen.queryByRole("listbox")).toBe(null);
  });

  test("close when the box is left, and are none within an address of mail", async () => {
    show(0);
    offered(KIM);
    type("@k");
    await screen.findByRole("listbox");
    fireEvent.blur(box());
    expect(screen.queryByRole("listbox")).toBe(null);
    fireEvent.change(box(), { target: { value: "" } });
    ask.mockClear();
    vi.useFakeTimers();
    type("me@k");
    act(() => void vi.runAllTimers());
    expect(asked()).toEqual([]);
  });

  test("survive leaving, coming back and a refusal, each with who is meant", async () => {
    show(0);
    ask.mockImplementation(async (op: string) => {
      if (op === "comments.mentionable") return { users: [OTHER_KIM], seq: 10 };
      throw new RefusedError("invalid", "A comment can mention at most 10 people.", "text");
    });
    type("@k");
    fireEvent.click(await screen.findByRole("option"));
    cleanup();
    render(<Thread postId={100} place="card" />);
    expect(box().value).toBe("@Kim ");
    fireEvent.click(screen.getByRole("button", { name: "Post Comment" }));
    expect(
      await screen.findByText("A comment can mention at most 10 people. Your words are kept."),
    ).toBeTruthy();
    expect(store.getState().meant[100]).toEqual([{ at: 0, id: 6, name: "Kim" }]);
    expect(ask).toHaveBeenLastCalledWith("comments.create", expect.objectContaining({ text: "@6+Kim" }));
  });

  test("a comment on its way shows them as names", async () => {
    show(0);
    ask.mockImplementation((op: string) =>
      op === "comments.mentionable"
        ? Promise.resolve({ users: [ZOE], seq: 10 })
        : new Promise(() => undefined),
    );
    type("@z");
    fireEvent.click(await screen.findByRole("option"));
    fireEvent.click(screen.getByRole("button", { name: "Post Comment" }));
    expect(await screen.findByRole("link", { name: "@Zoë 🌿" })).toBeTruthy();
    expect(box().value).toBe("");
  });
});

describe("replying", () => {
  const CLEO = { id: 4, name: "Cleo", photo_url: null };

  function among(me: number): void {
    const comments = [aComment(1, { author_id: BEN.id }), aComment(2, { author_id: CLEO.id })];
    const state = anasFeed([aView(100, { comments_count: 2, first_comments: comments })]);
    store.setState(
      { ...storeUsers(state, [CLEO], 10), session: { phase: "signed-in", me: aMe({ id: me }) } },
      true,
    );
    render(<Thread postId={100} place="card" />);
  }

  test("is offered for neither one's own comments nor the post author's", () => {
    among(1);
    const [bens, cleos] = screen.getAllByRole("listitem");
    expect(within(bens as HTMLElement).queryByRole("button", { name: "Reply" })).toBe(null);
    expect(within(cleos as HTMLElement).getByRole("button", { name: "Reply" })).toBeTruthy();
    cleanup();
    among(CLEO.id);
    expect(screen.queryByRole("button", { name: "Reply" })).toBe(null);
  });

  test("puts the mention into the box once, and the caret behind it", () => {
    among(1);
    fireEvent.click(screen.getByRole("button", { name: "Reply" }));
    expect(box().value).toBe("@Cleo ");
    expect(document.activeElement).toBe(box());
    expect(box().selectionStart).toBe(6);
    fireEvent.click(screen.getByRole("button", { name: "Reply" }));
    expect(box().value).toBe("@Cleo ");
  });

  test("goes behind what was written already", () => {
    among(1);
    fireEvent.change(box(), { target: { value: "I agree" } });
    fireEvent.click(screen.getByRole("button", { name: "Reply" }));
    expect(box().value).toBe("I agree @Cleo ");
    expect(store.getState().meant[100]).toEqual([{ at: 8, id: 4, name: "Cleo" }]);
  });
});
