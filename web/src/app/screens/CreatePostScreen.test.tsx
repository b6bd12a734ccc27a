import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Router } from "wouter";
import { browserPictureStore } from "../../features/drafts/pictureStore";
import { FakeUploadServer, jpegBytes } from "../../testing/fakeUploads";
import { store } from "../../engine/store";
import { apply } from "../../engine/apply";
import { GROUP_GONE } from "../../features/shared/groups/useAudiences";
import { FAMILY, aGroup, aView, anasFeed, inGroups, toFamily } from "../../testing/fixtures";
import { RefusedError } from "../../engine/ask";
import { aroundNav, leave, useShownLocation } from "../leaveGuard";
import CreatePostScreen from "./CreatePostScreen";

const ask = vi.hoisted(() => vi.fn());
vi.mock("../../engine/client", () => ({ ask, client: {} }));

let uploads: FakeUploadServer;

beforeEach(() => {
  localStorage.clear();
  history.replaceState(null, "", "/create-post");
  store.setState({ ...inGroups(anasFeed([])), connection: { state: "live", since: 0 } }, true);
  uploads = new FakeUploadServer();
  uploads.other = ({ op }) =>
    op === "posts.create"
      ? { post: aView(101, { author_id: 1 }), users: [], groups: [], seq: 12 }
      : { posts: [], users: [], groups: [], gone: [], seq: 12 };
  ask.mockReset();
  ask.mockImplementation(uploads.ask);
  vi.spyOn(browserPictureStore, "put").mockResolvedValue(true);
  vi.spyOn(browserPictureStore, "get").mockResolvedValue(new Map());
  vi.spyOn(browserPictureStore, "tidy").mockResolvedValue();
});
afterEach(() => {
  localStorage.clear();
});

const opened = async (): Promise<ReturnType<typeof render>> => {
  const page = render(
    <Router hook={useShownLocation} aroundNav={aroundNav}>
      <CreatePostScreen />
    </Router>,
  );
  await screen.findByRole("textbox", { name: "Text" });
  return page;
};
const field = (name: string) => screen.getByRole<HTMLInputElement>("textbox", { name });
const button = (name: string) => screen.getByRole<HTMLButtonElement>("button", { name });
const type = (name: string, value: string) => fireEvent.change(field(name), { target: { value } });
const aFile = (name: string, bytes: BlobPart = jpegBytes(2_000)) => new File([bytes], name);
const choose = (...files: File[]) => {
  const input = screen.getByLabelText<HTMLInputElement>("Add pictures");
  Object.defineProperty(input, "files", { value: files, configurable: true });
  fireEvent.change(input);
};
const items = () => within(screen.getByRole("list", { name: "Chosen pictures" })).getAllByRole("listitem");

describe("writing a post", () => {
  test("begins in the text, after which everything else is optional, and Share Post is above the fields", async () => {
    await opened();
    expect(document.activeElement).toBe(field("Text"));
    const order = [...document.querySelectorAll("h1, button, textarea, input, select")].map(
      (one) => one.getAttribute("name") ?? one.textContent,
    );
    expect(order.slice(0, 7)).toEqual([
      "Create Post",
      "Cancel",
      "Share Post",
      "text",
      "title",
      "tag",
      "audience",
    ]);
  });

  test("is for the group in the address, which alone is not worth a draft", async () => {
    store.setState(inGroups(anasFeed([]), aGroup()), true);
    history.replaceState(null, "", `/create-post?group=${FAMILY.id}`);
    await opened();
    const audience = screen.getByRole<HTMLSelectElement>("combobox", { name: "Audience" });
    expect(audience.selectedOptions[0]?.textContent).toBe("Family");
    expect(localStorage).toHaveLength(0);
    type("Text", "for us");
    fireEvent.click(button("Share Post"));
    await waitFor(() =>
      expect(ask).toHaveBeenCalledWith("posts.create", expect.objectContaining({ audience: toFamily })),
    );
  });

  test("for a group in the address that the viewer is not in waits for another audience", async () => {
    history.replaceState(null, "", "/create-post?group=77");
    await opened();
    expect(screen.getByRole("alert").textContent).toBe(GROUP_GONE);
  });

  test("without text shows an error beside the field until there is text", async () => {
    await opened();
    type("Text", "  \n ");
    fireEvent.click(button("Share Post"));
    expect(screen.getByRole("alert").textContent).toBe("Post text is required");
    expect(field("Text").getAttribute("aria-invalid")).toBe("true");
    expect(document.activeElement).toBe(field("Text"));
    type("Text", "words");
    expect(screen.queryByRole("alert")).toBe(null);
    expect(ask).not.toHaveBeenCalled();
  });

  test("never shares with others than the chosen group, also when the group is deleted meanwhile", async () => {
    store.setState(inGroups(anasFeed([]), aGroup()), true);
    await opened();
    const select = screen.getByRole<HTMLSelectElement>("combobox", { name: "Audience" });
    expect(
      within(select)
        .getAllByRole("option")
        .map((option) => option.textContent),
    ).toEqual(["Everyone here", "Family"]);
    type("Text", "hello");
    fireEvent.change(select, { target: { value: String(FAMILY.id) } });
    act(() =>
      store.setState(
        apply(store.getState(), {
          ev: "groups.left",
          seq: 11,
          group_id: FAMILY.id,
          user_id: 1,
          members_count: 1,
        }),
        true,
      ),
    );
    expect(select.selectedOptions[0]?.textContent).toBe("A group that no longer exists");
    expect(screen.getByRole("alert").textContent).toBe(GROUP_GONE);
    fireEvent.click(button("Share Post"));
    expect(document.activeElement).toBe(select);
    expect(uploads.ops("posts.create")).toEqual([]);
    fireEvent.change(select, { target: { value: "everyone" } });
    expect(screen.queryByRole("alert")).toBe(null);
    fireEvent.click(button("Share Post"));
    await waitFor(() =>
      expect(uploads.ops("posts.create")).toMatchObject([{ text: "hello", audience: { type: "public" } }]),
    );
  });

  test("counts the characters that will be posted, previews the tag of the address, and offers one audience", async () => {
    history.replaceState(null, "", "/create-post?tag=%23quiet%20%20mornings");
    await opened();
    expect(
      within(screen.getByRole("region", { name: "Tag preview" })).getByText("#quiet mornings"),
    ).toBeTruthy();
    expect(screen.getByText("14/30")).toBeTruthy();
    type("Title", " é🌿 ");
    expect(screen.getByText("2/100")).toBeTruthy();
    const options = within(screen.getByRole("combobox", { name: "Audience" })).getAllByRole("option");
    expect(options.map((option) => option.textContent)).toEqual(["Everyone here"]);
  });

  test("keeps the text after a refusal; another press posts it and shows it on home", async () => {
    await opened();
    type("Text", "hello");
    uploads.before = ({ op }) => {
      if (op === "posts.create") throw new RefusedError("fault", "Something broke.", null, null);
    };
    fireEvent.click(button("Share Post"));
    await waitFor(() => expect(button("Share Post").disabled).toBe(false));
    expect(field("Text").value).toBe("hello");
    uploads.before = () => undefined;
    fireEvent.click(button("Share Post"));
    await waitFor(() => expect(location.pathname).toBe("/"));
    const [first, second] = uploads.ops("posts.create");
    expect(first?.["key"]).toEqual(second?.["key"]);
    expect(store.getState().views["feed:"]?.ids).toEqual([101]);
  });

  test("keeps focus and text while the post is sent; afterwards Back does not lead to the form", async () => {
    await opened();
    type("Text", "hello");
    let answer = (): void => undefined;
    uploads.before = ({ op }) =>
      op === "posts.create" ? new Promise((resolve) => (answer = resolve)) : undefined;
    const entries = history.length;
    button("Share Post").focus();
    fireEvent.click(button("Share Post"));
    await waitFor(() => expect(document.activeElement).toBe(button("Cancel")));
    expect(field("Text").readOnly).toBe(true);
    answer();
    await waitFor(() => expect(location.pathname).toBe("/"));
    expect(history.length).toBe(entries);
  });

  test("shows the post as sending after leaving and returning, and then shows it on home", async () => {
    const page = await opened();
    type("Text", "hello");
    let answer = (): void => undefined;
    uploads.before = ({ op }) =>
      op === "posts.create" ? new Promise((resolve) => (answer = resolve)) : undefined;
    fireEvent.click(button("Share Post"));
    await waitFor(() => expect(uploads.ops("posts.create")).toHaveLength(1));
    page.unmount();
    await opened();
    expect(field("Text").value).toBe("hello");
    expect(field("Text").readOnly).toBe(true);
    expect(button("Share Post").disabled).toBe(true);
    expect(screen.queryByRole("button", { name: "Delete" })).toBe(null);
    await screen.findByRole("progressbar", { name: "Posting" });
    answer();
    await waitFor(() => expect(location.pathname).toBe("/"));
    expect(uploads.ops("posts.create")).toHaveLength(1);
    expect(localStorage.getItem("mellow.draft.1")).toBe(null);
  });

  test("says that a post without a connection is kept, that one may leave, and asks nothing then", async () => {
    await opened();
    act(() => store.setState({ connection: { state: "offline", since: 0 } }));
    type("Text", "hello");
    let answer = (): void => undefined;
    uploads.before = ({ op }) =>
      op === "posts.create" ? new Promise((resolve) => (answer = resolve)) : undefined;
    fireEvent.click(button("Share Post"));
    expect(await screen.findByText("Saved. It will go out when you're back online.")).toBeTruthy();
    expect(screen.getByText("You can leave this page.")).toBeTruthy();
    expect(screen.queryByRole("progressbar")).toBe(null);
    expect(dispatchEvent(new Event("beforeunload", { cancelable: true }))).toBe(true);
    fireEvent.click(button("Cancel"));
    expect(screen.queryByRole("alertdialog")).toBe(null);
    expect(location.pathname).toBe("/");
    answer();
    await waitFor(() => expect(localStorage.getItem("mellow.draft.1")).toBe(null));
  });

  test("asks before leaving only if something was written; Cancel stays, and Save keeps a draft", async () => {
    await opened();
    fireEvent.click(button("Cancel"));
    expect(location.pathname).toBe("/");
    history.replaceState(null, "", "/create-post");
    type("Text", "half a thought");
    fireEvent.click(button("Cancel"));
    const dialog = within(screen.getByRole("alertdialog", { name: "Not Posted" }));
    expect(dialog.getAllByRole("button").map((one) => one.textContent)).toEqual([
      "Discard",
      "Cancel",
      "Save",
    ]);
    fireEvent.click(dialog.getByRole("button", { name: "Cancel" }));
    expect(screen.queryByRole("alertdialog")).toBe(null);
    expect(field("Text").value).toBe("half a thought");
    expect(location.pathname).toBe("/create-post");
    fireEvent.click(button("Cancel"));
    fireEvent.click(button("Save"));
    await waitFor(() => expect(location.pathname).toBe("/"));
    expect(localStorage.getItem("mellow.draft.1")).toContain("half a thought");
  });

  test("locks the form once the draft is saved for a log-out, because more text would not be kept", async () => {
    await opened();
    type("Text", "half a thought");
    const go = vi.fn();
    act(() => leave(go, true));
    fireEvent.click(button("Save"));
    await waitFor(() => expect(go).toHaveBeenCalledOnce());
    expect(field("Text").readOnly).toBe(true);
    expect(button("Share Post").disabled).toBe(true);
    expect(screen.queryByRole("alertdialog")).toBe(null);
    expect(localStorage.getItem("mellow.draft.1")).toContain("half a thought");
  });

  test("restores a draft in its region, and lets the person delete it and undo that", async () => {
    const page = await opened();
    type("Title", "The title");
    type("Text", "half a thought");
    page.unmount();
    history.replaceState(null, "", "/create-post?tag=tea");
    await opened();
    const region = within(screen.getByRole("region", { name: "Restored draft" }));
    expect(field("Title").value).toBe("The title");
    expect(field("Tag").value).toBe("");
    fireEvent.click(region.getByRole("button", { name: "Start fresh with #tea" }));
    expect(screen.queryByRole("region", { name: "Restored draft" })).toBe(null);
    expect([field("Title").value, field("Text").value, field("Tag").value]).toEqual(["", "", "tea"]);
    expect(localStorage.getItem("mellow.draft.1")).toBe(null);
    fireEvent.click(button("Undo"));
    expect(field("Text").value).toBe("half a thought");
    fireEvent.click(
      within(screen.getByRole("region", { name: "Restored draft" })).getByRole("button", { name: "Delete" }),
    );
    type("Text", "x");
    expect(screen.queryByRole("button", { name: "Undo" })).toBe(null);
  });
});

describe("pictures of a post", () => {
  test("are listed with their descriptions, and can be moved and removed", async () => {
    await opened();
    choose(aFile("a.jpg"), aFile("b.jpg"), aFile("c.jpg"));
    await waitFor(() => expect(items()).toHaveLength(3));
    type("Description of picture 1", "The first");
    type("Description of picture 3", "The third");
    expect(button("Move picture 1 earlier").disabled).toBe(true);
    expect(button("Move picture 3 later").disabled).toBe(true);
    button("Move picture 3 earlier").focus();
    fireEvent.click(button("Move picture 3 earlier"));
    expect(field("Description of picture 2").value).toBe("The third");
    expect(document.activeElement?.textContent).toBe("Move picture 2 earlier");
    fireEvent.click(button("Remove picture 1"));
    expect(items()).toHaveLength(2);
    expect(field("Description of picture 1").value).toBe("The third");
    expect(document.activeElement?.textContent).toBe("Remove picture 1");
    fireEvent.click(button("Remove picture 2"));
    // A single picture cannot be moved.
    expect(screen.queryByRole("button", { name: /^Move/ })).toBe(null);
  });

  test("are refused with the specification's messages if they are too many, too large or no pictures", async () => {
    await opened();
    choose(...["1", "2", "3", "4", "5"].map((name) => aFile(`${name}.jpg`)));
    await waitFor(() =>
      expect(screen.getByRole("alert").textContent).toBe("You can only upload up to 4 images per post"),
    );
    expect(items()).toHaveLength(4);
    expect(screen.getByLabelText("Add pictures").getAttribute("aria-invalid")).toBe("true");
    fireEvent.click(button("Remove picture 4"));
    expect(screen.queryByRole("alert")).toBe(null);
    fireEvent.click(button("Remove picture 3"));
    const large = aFile("large.jpg");
    Object.defineProperty(large, "size", { value: 10 * 1024 * 1024 + 1 });
    choose(aFile("notes.txt", "shopping"), large, aFile("ok.jpg"));
    await waitFor(() => expect(items()).toHaveLength(3));
    expect(screen.getAllByRole("alert").map((one) => one.textContent)).toEqual([
      "notes.txt is not a valid image file",
      "Image large.jpg is too large. Maximum size is 10MB",
    ]);
  });

  test("without a description raise a question: add one, or post anyway", async () => {
    await opened();
    type("Text", "the harbour");
    choose(aFile("a.jpg"), aFile("b.jpg"));
    await waitFor(() => expect(items()).toHaveLength(2));
    type("Description of picture 1", "A chair");
    fireEvent.click(button("Share Post"));
    const dialog = within(screen.getByRole("alertdialog", { name: /^No description/ }));
    expect(dialog.getByText(/^One picture has no description\./)).toBeTruthy();
    // Enter leads to the description, and not past it.
    await waitFor(() => expect(document.activeElement).toBe(dialog.getByRole("button", { name: "Add one" })));
    fireEvent.click(dialog.getByRole("button", { name: "Add one" }));
    expect(screen.queryByRole("alertdialog")).toBe(null);
    await waitFor(() => expect(document.activeElement).toBe(field("Description of picture 2")));
    fireEvent.click(button("Share Post"));
    fireEvent.click(button("Post anyway"));
    await waitFor(() => expect(location.pathname).toBe("/"));
    expect(uploads.ops("posts.create")[0]?.["pictures"]).toMatchObject([{ alt: "A chair" }, { alt: null }]);
  });

  test("show their progress, and an error beside the picture that failed", async () => {
    await opened();
    type("Text", "the harbour");
    choose(aFile("a.jpg"), aFile("b.jpg"));
    await waitFor(() => expect(items()).toHaveLength(2));
    type("Description of picture 1", "A");
    type("Description of picture 2", "B");
    let commits = 0;
    uploads.before = ({ op }) => {
      if (op !== "uploads.commit") return;
      commits += 1;
      expect(
        Number(screen.getByRole("progressbar", { name: "Posting" }).getAttribute("aria-valuenow")),
      ).toBeLessThanOrEqual(80);
      if (commits === 2) throw new RefusedError("fault", "Something broke here.", null, 500);
    };
    // A browser takes the focus from the text when the button is pressed, and from the button when it is disabled.
    field("Text").blur();
    fireEvent.click(button("Share Post"));
    expect(screen.getByRole("progressbar", { name: "Posting" }).getAttribute("aria-valuenow")).toBe("0");
    expect(button("Move picture 1 later").disabled).toBe(true);
    await waitFor(() => expect(screen.queryByRole("progressbar")).toBe(null));
    const failed = within(items()[1] as HTMLElement);
    expect(failed.getByRole("alert").textContent).toBe("Something broke here.");
    expect(within(items()[0] as HTMLElement).queryByRole("alert")).toBe(null);
    expect(location.pathname).toBe("/create-post");
    await waitFor(() => expect(document.activeElement?.textContent).toBe("Try picture 2 again"));
    fireEvent.click(button("Try picture 2 again"));
    await waitFor(() => expect(location.pathname).toBe("/"));
    expect(uploads.ops("uploads.begin")).toHaveLength(3);
  });

  test("can be added by paste and by drop", async () => {
    await opened();
    const paste = new Event("paste", { bubbles: true, cancelable: true });
    Object.assign(paste, { clipboardData: { files: [aFile("image.png")], types: ["Files"] } });
    fireEvent(field("Text"), paste);
    expect(paste.defaultPrevented).toBe(true);
    await waitFor(() => expect(items()).toHaveLength(1));
    const words = new Event("paste", { bubbles: true, cancelable: true });
    Object.assign(words, { clipboardData: { files: [aFile("image.png")], types: ["text/plain", "Files"] } });
    fireEvent(field("Text"), words);
    expect(words.defaultPrevented).toBe(false);
    const drop = new Event("drop", { bubbles: true, cancelable: true });
    Object.assign(drop, { dataTransfer: { files: [aFile("b.jpg")], types: ["Files"] } });
    fireEvent(document.body, drop);
    expect(drop.defaultPrevented).toBe(true);
    await waitFor(() => expect(items()).toHaveLength(2));
  });

  test("cannot be shared with a description that is too long", async () => {
    await opened();
    type("Text", "the harbour");
    choose(aFile("a.jpg"));
    await waitFor(() => expect(items()).toHaveLength(1));
    type("Description of picture 1", "x".repeat(301));
    expect(screen.getByText("301/300")).toBeTruthy();
    expect(button("Share Post").disabled).toBe(true);
  });
});
