import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { RefusedError } from "../../engine/ask";
import { apply } from "../../engine/apply";
import { storeUsers } from "../shared/people/people";
import { store, update } from "../../engine/store";
import { aComment, aMe, aView, anasFeed, BEN } from "../../testing/fixtures";
import { Thread } from "./Thread";

const ask = vi.hoisted(() => vi.fn());
vi.mock("../../engine/client", () => ({
  ask,
  client: { onScreen: () => () => undefined, tidy: () => undefined },
}));

/** Renders a thread without comments. */
function show() {
  store.setState(anasFeed([aView(100, { comments_count: 0, first_comments: [] })]), true);
  return render(<Thread postId={100} place="card" />);
}

const box = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Write a comment" });

beforeEach(() => {
  ask.mockReset();
});
afterEach(() => {
  vi.useRealTimers();
  cleanup();
});

describe("mentions", () => {
  const ZOE = { id: 3, name: "Zoë 🌿", photo_url: null };
  const KIM = { id: 5, name: "Kim", photo_url: null };
  const OTHER_KIM = { id: 6, name: "Kim", photo_url: null };

  /** Types at the end of the box, with the caret there. */
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

  test("are links with the current name, or plain text if the account was deleted", () => {
    show();
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

  test("are not picked by the Enter that ends a composition, which Safari sends after its end", async () => {
    offered(KIM);
    show();
    type("@ki");
    await screen.findByRole("listbox", { name: "People" });
    fireEvent.keyDown(box(), { key: "Enter", keyCode: 229 });
    expect(box().value).toBe("@ki");
    fireEvent.keyDown(box(), { key: "Enter", keyCode: 13 });
    expect(box().value).toBe("@Kim ");
  });

  test("are never interpreted as markup", () => {
    show();
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

  test("are offered while they are typed, and are sent as tokens", async () => {
    show();
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

  test("are chosen with the arrow keys, Enter and Tab; Escape keeps the plain text", async () => {
    show();
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
    // After Escape the list stays closed for this word, and opens for the next.
    type("im");
    expect(screen.queryByRole("listbox")).toBe(null);
    expect(press("Enter")).toBe(true);
    type(" @k");
    await screen.findByRole("listbox");
    // The list also opens at an offset where it was closed before.
    for (const end of ["Escape", "Enter"]) {
      act(() => update((s) => ({ ...s, drafts: {}, meant: {} })));
      for (const letter of "@k") type(letter);
      await screen.findByRole("listbox");
      press(end);
      expect(screen.queryByRole("listbox")).toBe(null);
    }
  });

  test("put the caret after them once, also if the whole name was typed", async () => {
    show();
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
    show();
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
    // A user who no longer fits is removed before the server replies.
    type("x");
    expect(screen.queryByRole("listbox")).toBe(null);
  });

  test("are offered with the current name, and not after the account was deleted", async () => {
    show();
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
    show();
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

  test("are no longer offered when the box is left, and not inside an email address", async () => {
    show();
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

  test("keep their ids after the page was left, and after a refusal", async () => {
    show();
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

  test("are links in a comment that is being sent", async () => {
    show();
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

  test("is not offered for the viewer's own comments and those of the post's author", () => {
    among(1);
    const [bens, cleos] = screen.getAllByRole("listitem");
    expect(within(bens as HTMLElement).queryByRole("button", { name: "Reply" })).toBe(null);
    expect(within(cleos as HTMLElement).getByRole("button", { name: "Reply" })).toBeTruthy();
    cleanup();
    among(CLEO.id);
    expect(screen.queryByRole("button", { name: "Reply" })).toBe(null);
  });

  test("inserts the mention into the box once, and puts the caret after it", () => {
    among(1);
    fireEvent.click(screen.getByRole("button", { name: "Reply" }));
    expect(box().value).toBe("@Cleo ");
    expect(document.activeElement).toBe(box());
    expect(box().selectionStart).toBe(6);
    fireEvent.click(screen.getByRole("button", { name: "Reply" }));
    expect(box().value).toBe("@Cleo ");
  });

  test("inserts the mention after text that is in the box already", () => {
    among(1);
    fireEvent.change(box(), { target: { value: "I agree" } });
    fireEvent.click(screen.getByRole("button", { name: "Reply" }));
    expect(box().value).toBe("I agree @Cleo ");
    expect(store.getState().meant[100]).toEqual([{ at: 8, id: 4, name: "Cleo" }]);
  });
});
