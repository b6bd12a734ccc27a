import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { use } from "react";
import { apply } from "../../engine/apply";
import { store, update } from "../../engine/store";
import { aView, anEdit, anasFeed } from "../../testing/fixtures";
import { Covered } from "../shared/posts/covered";
import { NotesChoice } from "./NotesChoice";
import { PostCard } from "./PostCard";
import { setNotesOpen } from "./notesChoice";

const ask = vi.hoisted(() => vi.fn());
vi.mock("../../engine/client", () => ({ ask, client: {} }));

/** Stands for the thread, which renders nothing while the post is covered. */
const Comments = () => (use(Covered) ? null : <textarea aria-label="Write a comment" />);

/** Ben's post, as Ana sees it. */
function show(more: Parameters<typeof aView>[1] = {}) {
  const view = aView(100, { title: "My aunt", text: "She died.", content_note: "Grief, a funeral", ...more });
  store.setState(anasFeed([view]), true);
  return render(
    <PostCard
      postId={100}
      place="card"
      pictures={<img alt="A grave" />}
      buttons={<button type="button">Positive Vibes</button>}
      comments={<Comments />}
    />,
  );
}

const shows = () => screen.findByRole("button", { name: "Show post" });
const hides = () => screen.findByRole("button", { name: "Hide post" });
const edited = (seq: number, more: object) =>
  act(() => update((s) => apply(s, anEdit(seq, { title: "My aunt", text: "She died.", ...more }))));
const isCovered = () =>
  screen.queryByText("She died.") === null &&
  screen.queryByRole("img") === null &&
  screen.queryByRole("textbox") === null;
const isShown = () =>
  screen.queryByText("She died.") !== null &&
  screen.queryByRole("img") !== null &&
  screen.queryByRole("textbox") !== null;

beforeEach(() => {
  ask.mockReset();
  setNotesOpen(false);
});
afterEach(cleanup);

describe("d-u7: a post with a content note", () => {
  test("has neither text nor pictures nor comments in the document until the button is pressed", async () => {
    show();
    // Its author, its title and its vibes are there before the note is loaded, and nothing of what it covers.
    expect(isCovered()).toBe(true);
    const article = within(screen.getByRole("article", { name: "Post by Ben" }));
    for (const name of ["Ben", "My aunt"]) expect(article.getByRole("link", { name })).toBeTruthy();
    expect(article.getByRole("button", { name: "Positive Vibes" })).toBeTruthy();
    const button = await shows();
    expect(isCovered()).toBe(true);
    const note = screen.getByText("Grief, a funeral");
    expect(note.compareDocumentPosition(button)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
    expect(button.getAttribute("aria-expanded")).toBe("false");
    expect(button.getAttribute("aria-describedby")).toBe(note.id);

    fireEvent.click(button);
    expect(isShown()).toBe(true);
    expect(screen.getByText("Grief, a funeral")).toBeTruthy();
    expect((await hides()).getAttribute("aria-expanded")).toBe("true");
    fireEvent.click(await hides());
    expect(isCovered()).toBe(true);
    expect(ask).not.toHaveBeenCalled();
  });

  test("is covered again when its page is opened again", async () => {
    const { unmount } = show();
    fireEvent.click(await shows());
    unmount();
    show();
    await shows();
    expect(isCovered()).toBe(true);
  });

  test("is covered again when the note changes, also back to the one it was opened under", async () => {
    show();
    fireEvent.click(await shows());
    edited(11, { content_note: "A grave" });
    await shows();
    expect(isCovered()).toBe(true);
    expect(screen.getByText("A grave")).toBeTruthy();
    edited(12, { content_note: "Grief, a funeral" });
    await shows();
    expect(isCovered()).toBe(true);
  });

  test("stays open when only its words change, and is shown when the note is removed", async () => {
    show();
    fireEvent.click(await shows());
    edited(11, { content_note: "Grief, a funeral", text: "She died in May." });
    expect(screen.getByText("She died in May.")).toBeTruthy();
    fireEvent.click(await hides());
    edited(12, { content_note: null });
    expect(isShown()).toBe(true);
    expect(screen.queryByRole("button", { name: "Show post" })).toBe(null);
  });

  test("is covered under the reader's eyes when it gets a note, and the focus comes to the button", async () => {
    show({ content_note: null });
    expect(isShown()).toBe(true);
    screen.getByRole("textbox").focus();
    edited(11, { content_note: "Grief, a funeral" });
    expect(isCovered()).toBe(true);
    const button = await shows();
    await vi.waitFor(() => expect(document.activeElement).toBe(button));
  });

  test("leaves the focus where it is when it is covered by a press", async () => {
    show();
    fireEvent.click(await shows());
    const button = await hides();
    button.focus();
    fireEvent.click(button);
    expect(document.activeElement).toBe(await shows());
  });

  test("of a feed that an earlier version kept, which has no notes, is shown", () => {
    const view = aView(100, { text: "She died." });
    Reflect.deleteProperty(view, "content_note");
    store.setState(anasFeed([view]), true);
    render(<PostCard postId={100} place="card" buttons={null} comments={null} />);
    expect(screen.getByText("She died.")).toBeTruthy();
  });

  test("keeps neither words nor note after it was deleted", async () => {
    show();
    await shows();
    act(() => update((s) => apply(s, { ev: "posts.deleted", seq: 11, post_id: 100, author_id: 2 })));
    expect(store.getState().posts[100]).toMatchObject({ text: "", content_note: null, removed: true });
    expect(screen.queryByText("Grief, a funeral")).toBe(null);
  });
});

test("d-u8: a post of one's own is shown, with its note and without a button", async () => {
  show({ author_id: 1 });
  expect(isShown()).toBe(true);
  expect(await screen.findByText("Grief, a funeral")).toBeTruthy();
  expect(screen.queryByRole("button", { name: /post$/u })).toBe(null);
});

describe("d-u9: the switch of this device", () => {
  const flips = () =>
    fireEvent.click(screen.getByRole("switch", { name: "Show posts with content notes at once" }));

  test("shows all posts at once, each with its note above and a button that hides it", async () => {
    render(<NotesChoice />);
    flips();
    expect(screen.getByRole("switch").getAttribute("aria-checked")).toBe("true");
    expect(localStorage.getItem("mellow.notes")).toBe("open");
    show();
    fireEvent.click(await hides());
    expect(isCovered()).toBe(true);
    expect(screen.getByText("Grief, a funeral")).toBeTruthy();
    fireEvent.click(await shows());
    expect(isShown()).toBe(true);
  });

  test("holds in other tabs at once, but not for posts on which the reader has decided", async () => {
    show();
    await shows();
    const inAnotherTab = (value: string | null) =>
      act(() => {
        if (value === null) localStorage.removeItem("mellow.notes");
        else localStorage.setItem("mellow.notes", value);
        dispatchEvent(new StorageEvent("storage", { key: "mellow.notes" }));
      });
    inAnotherTab("open");
    expect(isShown()).toBe(true);
    inAnotherTab(null);
    expect(isCovered()).toBe(true);
    fireEvent.click(await shows());
    inAnotherTab("open");
    inAnotherTab(null);
    expect(isShown()).toBe(true);
  });
});
