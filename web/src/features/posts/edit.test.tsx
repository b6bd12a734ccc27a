import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { toastList } from "../../ui/toast";
import { RefusedError } from "../../engine/ask";
import { apply } from "../../engine/apply";
import { store, update } from "../../engine/store";
import { CHOOSE, GROUP_GONE, GROUP_LEFT } from "../shared/groups/useAudiences";
import { FAMILY, aGroup, aView, anasFeed, inGroups, toFamily } from "../../testing/fixtures";
import type { Audience, Requests } from "../../engine/types.gen";
import { OwnerButtons } from "./OwnerButtons";
import { PostCard } from "./PostCard";
import { isUnsaved } from "./edit";
import { toasts } from "../../testing/toasts";

const ask = vi.hoisted(() => vi.fn());
vi.mock("../../engine/client", () => ({ ask, client: {} }));

const mine = aView(100, { author_id: 1, title: "Morning", text: "one\ntwo" });

function show() {
  return render(
    <PostCard
      postId={100}
      place="card"
      buttons={null}
      comments={null}
      owner={<OwnerButtons postId={100} />}
    />,
  );
}

const field = (name: string) => screen.getByRole<HTMLInputElement>("textbox", { name });
const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));
const type = (name: string, value: string) => fireEvent.change(field(name), { target: { value } });
const nowSays = (what: Partial<Requests["posts.update"]["ok"]>): Requests["posts.update"]["ok"] => ({
  post_id: 100,
  author_id: 1,
  title: "Morning",
  text: "two",
  content_note: null,
  audience: { type: "public" },
  groups: [],
  updated_at_ms: 950,
  seq: 12,
  ...what,
});
const edited = (seq: number, text: string) =>
  apply(store.getState(), { ev: "posts.updated", ...nowSays({ seq, text, updated_at_ms: 900 + seq }) });

async function edit() {
  show();
  screen.getByRole("button", { name: "Edit" }).focus();
  press("Edit");
  await screen.findByRole("textbox", { name: "Text" });
}

beforeEach(() => {
  ask.mockReset();
  toastList.clear();
  store.setState(inGroups(anasFeed([mine])), true);
});
afterEach(cleanup);

describe("editing a post in place", () => {
  test("shows title, text and audience in fields with counters, and focuses the first", async () => {
    await edit();
    expect(field("Title").value).toBe("Morning");
    expect(field("Text").value).toBe("one\ntwo");
    expect(screen.getByText("7/100")).toBeTruthy();
    expect(screen.getByText("7/2000")).toBeTruthy();
    const options = within(screen.getByRole("combobox", { name: "Audience" })).getAllByRole("option");
    expect(options.map((option) => option.textContent)).toEqual(["Everyone here"]);
    for (const name of ["Edit", "Delete"]) expect(screen.queryByRole("button", { name })).toBe(null);
    await vi.waitFor(() => expect(document.activeElement).toBe(field("Title")));
  });

  test("saves the trimmed text, shows a message, and returns the focus to Edit", async () => {
    await edit();
    type("Title", "  ");
    type("Text", " three \r\n");
    ask.mockResolvedValueOnce(nowSays({ title: null, text: "three" }));
    press("Save");
    const button = await screen.findByRole("button", { name: "Edit" });
    expect(ask.mock.calls[0]).toMatchObject([
      "posts.update",
      { post_id: 100, title: null, text: "three", audience: { type: "public" } },
    ]);
    expect(screen.getByText("three")).toBeTruthy();
    expect(screen.queryByRole("heading")).toBe(null);
    expect(screen.getByText("(edited)")).toBeTruthy();
    expect(toasts()).toEqual(["Post updated successfully"]);
    await vi.waitFor(() => expect(document.activeElement).toBe(button));
  });

  test("d-u7: sets a content note of one line, shows the old one in its field, and removes it when it is emptied", async () => {
    await edit();
    type("Content note", "  Grief,  a funeral ");
    expect(screen.getByText("16/60")).toBeTruthy();
    ask.mockResolvedValueOnce(nowSays({ text: "one\ntwo", content_note: "Grief, a funeral" }));
    press("Save");
    expect(await screen.findByText("Grief, a funeral")).toBeTruthy();
    expect(screen.getByText("one two")).toBeTruthy();
    fireEvent.click(await screen.findByRole("button", { name: "Edit" }));
    await screen.findByRole("textbox", { name: "Text" });
    expect(field("Content note").value).toBe("Grief, a funeral");
    type("Content note", " ");
    expect(isUnsaved(store.getState(), 100)).toBe(true);
    ask.mockResolvedValueOnce(nowSays({ text: "one\ntwo", seq: 13 }));
    press("Save");
    await screen.findByRole("button", { name: "Edit" });
    expect(ask.mock.calls.map(([, fields]) => fields.content_note)).toEqual(["Grief, a funeral", ""]);
    expect(screen.queryByText("Grief, a funeral")).toBe(null);
  });

  test("d-u7: cannot be saved with a content note that is too long", async () => {
    await edit();
    type("Content note", "🌿".repeat(61));
    expect(screen.getByText("61/60")).toBeTruthy();
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Save" }).disabled).toBe(true);
    type("Content note", "🌿".repeat(60));
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Save" }).disabled).toBe(false);
  });

  test("shows an error beside a text of only spaces, until it is corrected", async () => {
    await edit();
    type("Text", " \n ");
    press("Save");
    expect(screen.getByRole("alert").textContent).toBe("Post text cannot be empty");
    expect(field("Text").getAttribute("aria-invalid")).toBe("true");
    expect(ask).not.toHaveBeenCalled();
    type("Text", "words");
    expect(screen.queryByRole("alert")).toBe(null);
  });

  test("keeps a text that is too long, and cannot be saved", async () => {
    await edit();
    type("Title", "🌿".repeat(101));
    expect(screen.getByText("101/100")).toBeTruthy();
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Save" }).disabled).toBe(true);
  });

  test("keeps the text after a failure, and the same text has the same key", async () => {
    await edit();
    type("Text", "three");
    ask.mockRejectedValueOnce(new RefusedError("fault", "Something broke.", null, null));
    press("Save");
    await vi.waitFor(() => expect(toasts()).toEqual(["Error updating post. Please try again."]));
    expect(field("Text").value).toBe("three");
    ask.mockRejectedValueOnce(new RefusedError("fault", "Something broke.", null, null));
    press("Save");
    await vi.waitFor(() => expect(ask).toHaveBeenCalledTimes(2));
    await vi.waitFor(() =>
      expect(screen.getByRole<HTMLButtonElement>("button", { name: "Save" }).disabled).toBe(false),
    );
    type("Text", "four");
    ask.mockResolvedValueOnce(nowSays({ text: "four" }));
    press("Save");
    await screen.findByText("four");
    const keys = ask.mock.calls.map(([, fields]) => fields.key);
    expect(keys[1]).toBe(keys[0]);
    expect(keys[2]).not.toBe(keys[0]);
  });

  test("shows the refusal of a field beside it", async () => {
    await edit();
    ask.mockRejectedValueOnce(
      new RefusedError("invalid", "This is longer than 100 characters.", "title", null),
    );
    press("Save");
    expect((await screen.findByRole("alert")).textContent).toBe("This is longer than 100 characters.");
    expect(field("Title").getAttribute("aria-invalid")).toBe("true");
  });

  test("shows the old post after Cancel, and returns the focus to Edit", async () => {
    await edit();
    type("Text", "three");
    press("Cancel");
    expect(screen.queryByText("three")).toBe(null);
    await vi.waitFor(() => expect(document.activeElement).toBe(screen.getByRole("button", { name: "Edit" })));
    press("Edit");
    expect((await screen.findByRole<HTMLInputElement>("textbox", { name: "Text" })).value).toBe("one\ntwo");
  });

  test("on another device changes untouched fields, and no typed text", async () => {
    await edit();
    act(() => store.setState(edited(11, "from the phone"), true));
    expect(field("Text").value).toBe("from the phone");
    type("Text", "three");
    expect(screen.queryByText(/changed on another device/)).toBe(null);
    act(() => store.setState(edited(12, "from the phone again"), true));
    expect(field("Text").value).toBe("three");
    expect(screen.getByText(/changed on another device/)).toBeTruthy();
  });

  test("makes the browser ask before the page is closed, while there is unsaved text", async () => {
    const isHeld = () => !dispatchEvent(new Event("beforeunload", { cancelable: true }));
    await edit();
    expect(isHeld()).toBe(false);
    type("Text", "three");
    expect(isHeld()).toBe(true);
    type("Text", "one\ntwo ");
    expect(isHeld()).toBe(false);
    type("Text", "three");
    press("Cancel");
    expect(isHeld()).toBe(false);
  });

  test("continues after the page was left and opened again", async () => {
    await edit();
    type("Text", "three");
    cleanup();
    show();
    expect(field("Text").value).toBe("three");
  });

  test("keeps the text to copy if the post is deleted meanwhile", async () => {
    await edit();
    type("Text", "half a thought");
    act(() => update((s) => apply(s, { ev: "posts.deleted", seq: 11, post_id: 100, author_id: 1 })));
    expect(screen.getByText("Removed")).toBeTruthy();
    expect(screen.queryByRole("textbox")).toBe(null);
    expect(screen.getByText("half a thought")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Copy" })).toBeTruthy();
  });

  test("keeps the text if only the server's refusal says that the post was deleted", async () => {
    await edit();
    type("Text", "half a thought");
    ask.mockRejectedValueOnce(new RefusedError("not_found", "This is not here."));
    ask.mockResolvedValueOnce({ posts: [], users: [], groups: [], gone: [100], seq: 14 });
    press("Save");
    expect(await screen.findByText("Removed")).toBeTruthy();
    expect(screen.getByText("half a thought")).toBeTruthy();
  });

  test("leaves nothing after the deletion of the post if nothing was typed", async () => {
    await edit();
    act(() => update((s) => apply(s, { ev: "posts.deleted", seq: 11, post_id: 100, author_id: 1 })));
    expect(screen.getByText("Removed")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Copy" })).toBe(null);
  });
});

describe("the menu of the viewer's own post", () => {
  const open = async () => fireEvent.click(await screen.findByRole("button", { name: "Post menu" }));
  const choose = (name: string) => fireEvent.click(screen.getByRole("menuitem", { name }));
  const items = () => screen.getAllByRole("menuitem").map((item) => item.textContent);
  const showIn = (place: "card" | "page", post = mine) => {
    store.setState(inGroups(anasFeed([post]), aGroup()), true);
    render(<PostCard postId={100} place={place} buttons={null} comments={null} />);
  };

  test.each(["card", "page"] as const)(
    "edits it in place on a %s, and gets the focus back",
    async (place) => {
      showIn(place);
      await open();
      expect(items()).toEqual(["Edit", "Delete", "Copy Link"]);
      choose("Edit");
      expect(field("Text").value).toBe("one\ntwo");
      expect(screen.queryByRole("button", { name: "Post menu" })).toBe(null);
      await vi.waitFor(() => expect(document.activeElement).toBe(field("Title")));
      if (place === "page") expect(screen.getByRole("heading", { level: 1 })).toBeTruthy();
      press("Cancel");
      const button = screen.getByRole("button", { name: "Post menu" });
      await vi.waitFor(() => expect(document.activeElement).toBe(button));
    },
  );

  test("asks before it deletes", async () => {
    showIn("card");
    await open();
    choose("Delete");
    const dialog = within(screen.getByRole("alertdialog", { name: "Delete Post" }));
    ask.mockResolvedValueOnce({ seq: 12 });
    fireEvent.click(dialog.getByRole("button", { name: "Delete" }));
    expect(await screen.findByText("Removed")).toBeTruthy();
    expect(toasts()).toEqual(["Post deleted successfully"]);
  });

  test("copies the link of a public post, and offers that of no other", async () => {
    const writeText = vi.fn(() => Promise.resolve());
    vi.stubGlobal("navigator", { clipboard: { writeText } });
    showIn("card");
    await open();
    choose("Copy Link");
    await vi.waitFor(() => expect(toasts()).toEqual(["Post link copied to clipboard!"]));
    expect(writeText).toHaveBeenCalledWith(`${location.origin}/post/100`);
    vi.unstubAllGlobals();
    cleanup();
    showIn("card", { ...mine, audience: toFamily });
    await open();
    expect(items()).toEqual(["Edit", "Delete"]);
  });
});

test("an edit replaces the text of a card in place, with a mark and one fade", () => {
  store.setState(inGroups(anasFeed([mine])), true);
  render(<PostCard postId={100} place="page" buttons={null} comments={null} />);
  const article = screen.getByRole("article");
  expect(screen.queryByText("(edited)")).toBe(null);
  expect(article.querySelector("[data-turn]")).toBe(null);
  act(() => store.setState(edited(11, "other words"), true));
  expect(screen.getByRole("article")).toBe(article);
  expect(screen.getByText("other words")).toBeTruthy();
  expect(screen.getByText("(edited)")).toBeTruthy();
  expect(article.querySelector("[data-turn=odd]")).toBeTruthy();
  act(() => store.setState(edited(12, "more words"), true));
  expect(article.querySelector("[data-turn=even]")).toBeTruthy();
});

describe("the audience of an edited post", () => {
  const select = () => screen.getByRole<HTMLSelectElement>("combobox", { name: "Audience" });
  const options = () =>
    within(select())
      .getAllByRole("option")
      .map((one) => one.textContent);
  const chosen = () => select().selectedOptions[0]?.textContent;
  const choose = (value: number | string) => fireEvent.change(select(), { target: { value: String(value) } });
  const sentTo = () =>
    ask.mock.calls.filter(([op]) => op === "posts.update").map(([, fields]) => fields.audience);
  const shared = (audience: Audience) =>
    store.setState(inGroups(anasFeed([{ ...mine, audience }]), aGroup()), true);
  const ofLeft: Audience = { type: "group", group_id: null };
  const alone: Audience = { type: "author" };

  test("is one of the viewer's groups, or everybody", async () => {
    shared({ type: "public" });
    await edit();
    expect(options()).toEqual(["Everyone here", "Family"]);
    choose(FAMILY.id);
    expect(screen.getByText("2 members")).toBeTruthy();
    ask.mockResolvedValueOnce(nowSays({ audience: toFamily, groups: [FAMILY] }));
    press("Save");
    await screen.findByRole("button", { name: "Edit" });
    expect(sentTo()).toEqual([toFamily]);
    expect(screen.getByRole("article").textContent).toContain("Shared with Family");
  });

  test("cannot be widened after others have commented; the field says so, and the text stays", async () => {
    shared(toFamily);
    await edit();
    type("Text", "other words");
    choose("everyone");
    ask.mockRejectedValueOnce(new RefusedError("invalid", "Others spoke to fewer people.", "audience"));
    press("Save");
    expect((await screen.findByRole("alert")).textContent).toBe("Others spoke to fewer people.");
    expect(select().getAttribute("aria-invalid")).toBe("true");
    await vi.waitFor(() => expect(document.activeElement).toBe(select()));
    expect([field("Text").value, chosen()]).toEqual(["other words", "Everyone here"]);
    choose(FAMILY.id);
    expect(screen.queryByRole("alert")).toBe(null);
  });

  test("stays as it is after the group was deleted, unless another is chosen", async () => {
    shared({ type: "group_deleted" });
    await edit();
    expect(options()).toEqual(["Everyone here", "Family", "Only you"]);
    expect([chosen(), screen.getByText("Only you see this post.")]).toEqual(["Only you", expect.anything()]);
    expect(screen.queryByRole("alert")).toBe(null);
    expect(isUnsaved(store.getState(), 100)).toBe(false);
    type("Text", "other words");
    ask.mockResolvedValueOnce(nowSays({ audience: alone, text: "other words" }));
    press("Save");
    await screen.findByRole("button", { name: "Edit" });
    expect(sentTo()).toEqual([alone]);
    expect(screen.getByRole("article").textContent).toContain("Only you see this post.");
  });

  test("is not taken from a group that the author is no longer in, unless another is chosen", async () => {
    shared(ofLeft);
    await edit();
    expect(options()).toEqual(["Everyone here", "Family", "Only you", "A group you're no longer in"]);
    expect(chosen()).toBe("A group you're no longer in");
    expect(screen.getByText(GROUP_LEFT)).toBeTruthy();
    expect(screen.queryByText("Only you see this post.")).toBe(null);
    type("Text", "other words");
    press("Save");
    expect(screen.getByRole("alert").textContent).toBe(CHOOSE);
    expect(document.activeElement).toBe(select());
    expect(sentTo()).toEqual([]);
    choose("alone");
    ask.mockResolvedValueOnce(nowSays({ audience: alone, text: "other words" }));
    press("Save");
    await screen.findByRole("button", { name: "Edit" });
    expect(sentTo()).toEqual([alone]);
  });

  test("is never widened because the chosen group is deleted", async () => {
    shared({ type: "public" });
    await edit();
    choose(FAMILY.id);
    act(() => update((s) => apply(s, { ev: "groups.deleted", seq: 11, group_id: FAMILY.id })));
    expect(chosen()).toBe("A group that no longer exists");
    expect(screen.getByRole("alert").textContent).toBe(GROUP_GONE);
    press("Save");
    expect(document.activeElement).toBe(select());
    expect(sentTo()).toEqual([]);
  });

  test("has the error if the post exists and the server does not find the group", async () => {
    shared(toFamily);
    await edit();
    type("Text", "other words");
    ask.mockRejectedValueOnce(new RefusedError("not_found", "That is not here."));
    ask.mockResolvedValueOnce({
      posts: [{ ...mine, audience: toFamily }],
      users: [],
      groups: [FAMILY],
      gone: [],
      seq: 12,
    });
    press("Save");
    expect((await screen.findByRole("alert")).textContent).toBe(GROUP_GONE);
    expect(field("Text").value).toBe("other words");
  });

  test("follows the post if it was not changed, and is kept if it was", async () => {
    shared({ type: "public" });
    await edit();
    const moved = (seq: number, text: string) =>
      act(() =>
        store.setState(
          apply(store.getState(), {
            ev: "posts.updated",
            seq,
            post_id: 100,
            author_id: 1,
            title: "Morning",
            text,
            content_note: null,
            audience: toFamily,
            groups: [FAMILY],
            updated_at_ms: 900 + seq,
          }),
          true,
        ),
      );
    moved(11, "one\ntwo");
    expect(chosen()).toBe("Family");
    choose("everyone");
    expect(screen.queryByRole("status")).toBe(null);
    moved(12, "words of another device");
    expect(chosen()).toBe("Everyone here");
    expect(screen.getByRole("status").textContent).toContain(
      "This post was changed on another device meanwhile.",
    );
  });
});
