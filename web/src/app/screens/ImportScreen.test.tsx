import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { apply } from "../../engine/apply";
import { store, update } from "../../engine/store";
import type { Import, ImportEnd, ImportPreview, PastImport } from "../../engine/types.gen";
import { aGroup, anasFeed } from "../../testing/fixtures";
import type { Answers } from "../../testing/mockClient";
import { answer, ask, asked, refuse } from "../../testing/mockClient";
import { toasts } from "../../testing/toasts";
import { onAnnounce } from "../../ui/announce";
import { toastList } from "../../ui/toast";
import ImportScreen from "./ImportScreen";

vi.mock("../../engine/client", () => import("../../testing/mockClient"));

const announced: string[] = [];
onAnnounce("polite", ({ text }) => announced.push(text));

const noon = (year: number, month: number, day: number): number => new Date(year, month, day, 12).getTime();
const PREVIEW: ImportPreview = {
  posts: 3,
  pictures: 1,
  from_ms: noon(2019, 2, 4),
  to_ms: noon(2024, 10, 21),
  left_out: [
    { reason: "replies", count: 12 },
    { reason: "already_here", count: 1 },
  ],
  pictures_left_out: 2,
  first: [
    { text: "The ferry was early.", at_ms: noon(2019, 2, 4) },
    { text: "Bread.", at_ms: noon(2020, 0, 1) },
  ],
};
const anImport = (more: Partial<Import> = {}): Import => ({
  id: 7,
  phase: "uploading",
  progress: 0,
  source: null,
  preview: null,
  done: 0,
  total: 0,
  paused: false,
  ...more,
});
const previewed = (more: Partial<ImportPreview> = {}): Import =>
  anImport({ phase: "preview", source: "mastodon", preview: { ...PREVIEW, ...more } });
const anEnd = (more: Partial<ImportEnd>): ImportEnd => ({
  id: 7,
  result: "done",
  posts: 0,
  refusal: null,
  ...more,
});

const changes = (seq: number, current: Import | null, ended: ImportEnd | null = null): void =>
  update((s) => apply(s, { ev: "imports.changed", seq, current, ended }));
const happens = (...of: Parameters<typeof changes>): Promise<void> => act(async () => changes(...of));

async function opens(current: Import | null = null, answers: Answers = {}): Promise<void> {
  const all: Answers = {
    "imports.list": () => ({ current, imports: [], seq: 10 }),
    "groups.list": () => ({ groups: [aGroup()], users: [], seq: 10 }),
    ...answers,
  };
  answer(all, 11);
  await act(async () => void render(<ImportScreen />));
}

const chooser = () => screen.getByLabelText<HTMLInputElement>("Archive file");
const choose = (content = "0123456789"): Promise<void> =>
  act(async () => {
    const value = [new File([content], "archive.zip")];
    Object.defineProperty(chooser(), "files", { value, configurable: true });
    fireEvent.change(chooser());
  });
const button = (name: string) => screen.getByRole<HTMLButtonElement>("button", { name });
const press = (element: HTMLElement): Promise<void> => act(async () => void fireEvent.click(element));
const bar = (name: string) => screen.findByRole("progressbar", { name });
const now = async (name: string) => (await bar(name)).getAttribute("aria-valuenow");
const items = (name: string) =>
  within(screen.getByRole("list", { name }))
    .getAllByRole("listitem")
    .map((item) => item.textContent);

beforeEach(() => {
  ask.mockReset();
  toastList.clear();
  const meta = { name: "mellow:imports", content: "512" };
  document.head.append(Object.assign(document.createElement("meta"), meta));
  store.setState(anasFeed([]), true);
});
afterEach(() => document.head.querySelector("meta[name]")?.remove());

describe("the page of imports", () => {
  test("is not there if the host has turned imports off", async () => {
    document.head.querySelector("meta[name]")?.remove();
    await opens();
    expect(screen.queryByRole("heading", { name: "Import Posts" })).toBe(null);
    expect(asked("imports.list")).toEqual([]);
  });

  test("says before a file is chosen where it is from, what comes, and what does not and why", async () => {
    await opens();
    expect(chooser()).toBeTruthy();
    const where = screen.getByText(/^In Mellow you get it in Settings with Export My Data; /u);
    expect(where.textContent).toMatch(/ At most 512 MB\.$/u);
    expect(screen.getByText("Posts come with pictures, descriptions, tag, note and date.")).toBeTruthy();
    const stays = screen.getByText(/^Comments, vibes, followers, groups, polls and messages stay behind, /u);
    expect(stays.textContent).toContain("because others take part in them.");
    await happens(11, anImport({ phase: "reading" }));
    expect(screen.queryByText(/stay behind/u)).toBe(null);
  });

  test("sends an archive in chunks and has it read", async () => {
    await opens(null, {
      "imports.begin": () => ({ id: 7, offset: 0, chunk_bytes: 4, window: 2 }),
      "imports.chunk": ({ offset, bytes }) => ({
        offset: (offset as number) + (bytes as ArrayBuffer).byteLength,
      }),
      "imports.read": () => {
        changes(11, anImport({ phase: "reading" }));
        return { seq: 11 };
      },
    });
    expect(screen.getByRole("heading", { level: 1, name: "Import Posts" })).toBeTruthy();
    expect(chooser().accept).toContain(".zip");
    await choose();
    await vi.waitFor(() => expect(asked("imports.read")).toMatchObject([{ import_id: 7 }]));
    expect(asked("imports.begin")).toMatchObject([{ size_bytes: 10 }]);
    expect(asked("imports.chunk").map(({ offset }) => offset as number)).toEqual([0, 4, 8]);
    expect(await now("Reading the file")).toBe("50");
    await happens(12, anImport({ phase: "reading", progress: 40 }));
    expect(await now("Reading the file")).toBe("70");
    await happens(13, previewed());
    expect(screen.getByRole("region", { name: "Preview" })).toBeTruthy();
    expect(screen.queryByRole("progressbar")).toBe(null);
  });

  test.each([
    ["import_too_big", "This file is too big. At most 512 MB."],
    ["slow_down", "That was a lot. Try again tomorrow."],
  ])("says why an archive is not taken: %s", async (code, message) => {
    await opens(null, { "imports.begin": refuse(code, message, null, 86_400_000) });
    await choose();
    expect((await screen.findByRole("alert")).textContent).toBe(message);
    expect(chooser().getAttribute("aria-invalid")).toBe("true");
    expect(asked("imports.cancel")).toEqual([]);
  });

  test("takes a file of the same name again after one that was empty", async () => {
    await opens();
    const cleared = vi.fn();
    Object.defineProperty(chooser(), "value", { set: cleared, configurable: true });
    await choose("");
    expect(screen.getByRole("alert").textContent).toBe("This isn't an archive from Mellow or Mastodon.");
    expect(cleared.mock.calls).toEqual([[""]]);
  });

  test("says without a network that a press is kept until the connection is back", async () => {
    await opens(anImport({ progress: 40 }), { "imports.cancel": () => new Promise(() => undefined) });
    await act(async () => update((s) => ({ ...s, connection: { ...s.connection, state: "offline" } })));
    await press(button("Cancel"));
    expect(await screen.findByText("Saved. It will go out when you're back online.")).toBeTruthy();
  });

  test("leaves nothing on the server of an archive that did not get through", async () => {
    await opens(null, {
      "imports.begin": () => ({ id: 7, offset: 0, chunk_bytes: 4, window: 2 }),
      "imports.chunk": refuse("storage_full", "Nothing was saved: the disk is full."),
    });
    await choose();
    expect((await screen.findByRole("alert")).textContent).toBe("Nothing was saved: the disk is full.");
    expect(asked("imports.cancel")).toMatchObject([{ import_id: 7 }]);
  });

  test.each([
    ["unknown", "This isn't an archive from Mellow or Mastodon."],
    ["unsafe", "This file can't be read safely."],
    ["broken", "The posts in this file can't be read."],
  ] as const)("says why an archive is refused: %s", async (refusal, message) => {
    await opens(anImport({ phase: "reading" }));
    await bar("Reading the file");
    await happens(11, null, anEnd({ result: "refused", refusal }));
    expect(screen.getByRole("alert").textContent).toBe(message);
    expect(chooser().getAttribute("aria-invalid")).toBe("true");
  });

  const refused = anEnd({ result: "refused", refusal: "broken" });
  const alert = () => screen.queryByRole("alert")?.textContent ?? null;

  test("says why an archive was refused until the page is left, also if it was refused elsewhere", async () => {
    await opens(anImport({ phase: "reading" }));
    cleanup();
    await happens(11, null, refused);
    await opens();
    expect(alert()).toBe("The posts in this file can't be read.");
    cleanup();
    await opens();
    expect(alert()).toBe(null);
    // The last write comes again after a lost connection.
    await happens(11, null, { ...refused });
    expect(alert()).toBe(null);
    await choose("");
    expect(alert()).toBe("This isn't an archive from Mellow or Mastodon.");
    cleanup();
    await opens();
    expect(alert()).toBe(null);
  });

  test("says no more why an archive was refused after another one was begun, on any device", async () => {
    await opens(anImport({ phase: "reading" }), { "imports.begin": () => new Promise(() => undefined) });
    await happens(11, null, refused);
    await choose();
    await bar("Reading the file");
    await press(button("Cancel"));
    expect(chooser()).toBeTruthy();
    expect(alert()).toBe(null);
    await happens(12, null, { ...refused, id: 9 });
    expect(alert()).not.toBe(null);
    await happens(13, anImport({ id: 10 }));
    await happens(14, null, anEnd({ id: 10, result: "canceled" }));
    expect(chooser()).toBeTruthy();
    expect(alert()).toBe(null);
  });

  test("announces what was found, and not the bars, whose names the focus says", async () => {
    await opens();
    announced.length = 0;
    await act(async () => chooser().focus());
    await happens(11, anImport({ phase: "reading" }));
    await vi.waitFor(async () => expect(document.activeElement).toBe(await bar("Reading the file")));
    await happens(12, previewed());
    await happens(13, anImport({ phase: "importing", total: 3 }));
    await vi.waitFor(async () => expect(document.activeElement).toBe(await bar("Importing")));
    expect(announced).toEqual(["3 posts, 1 picture"]);
  });

  test("shows an archive that another tab sends, and cancels it", async () => {
    await opens(anImport({ progress: 40 }));
    expect(await now("Reading the file")).toBe("20");
    expect(screen.getByText(/^The file comes from another tab or device\./u)).toBeTruthy();
    await press(button("Cancel"));
    expect(asked("imports.cancel")).toMatchObject([{ import_id: 7 }]);
    await happens(12, null, anEnd({ result: "canceled" }));
    expect(chooser()).toBeTruthy();
    expect(screen.queryByRole("alert")).toBe(null);
  });

  test("shows what is in an archive, and imports it once it is chosen who can see it", async () => {
    await opens(previewed());
    const preview = within(screen.getByRole("region", { name: "Preview" }));
    expect(preview.getByText("3 posts, 1 picture")).toBeTruthy();
    expect(preview.getByText("From 04/Mar/19 to 21/Nov/24")).toBeTruthy();
    expect(items("Left out")).toEqual(["Replies to others: 12", "Already here: 1", "Pictures: 2"]);
    expect(items("First posts")).toEqual(["The ferry was early.04/Mar/19", "Bread.01/Jan/20"]);
    const select = preview.getByRole<HTMLSelectElement>("combobox", { name: "Audience" });
    await preview.findByRole("option", { name: "Family" });
    expect(
      within(select)
        .getAllByRole("option")
        .map(({ textContent }) => textContent),
    ).toEqual(["Choose who can see them", "Everyone here", "Family"]);
    expect(select.value).toBe("");
    expect(button("Import").disabled).toBe(true);
    await act(async () => void fireEvent.change(select, { target: { value: "50" } }));
    await press(button("Import"));
    expect(asked("imports.start")).toMatchObject([
      { import_id: 7, audience: { type: "group", group_id: 50 } },
    ]);
    await happens(12, anImport({ phase: "importing", done: 1, total: 3 }));
    expect(await now("Importing")).toBe("33");
    expect(screen.getByText("1 of 3 posts")).toBeTruthy();
    await press(button("Cancel Import"));
    expect(asked("imports.cancel")).toMatchObject([{ import_id: 7 }]);
  });

  test("says why an import does not begin", async () => {
    await opens(previewed(), { "imports.start": refuse("import_busy", "You have an import already.") });
    const select = screen.getByRole("combobox", { name: "Audience" });
    await act(async () => void fireEvent.change(select, { target: { value: "everyone" } }));
    await press(button("Import"));
    expect((await screen.findByRole("alert")).textContent).toBe("You have an import already.");
    expect(button("Import").disabled).toBe(false);
  });

  test("offers nothing but to cancel if nothing is left to import", async () => {
    await opens(previewed({ posts: 0, pictures: 0, first: [], pictures_left_out: 0 }));
    expect(screen.getByText("There is nothing to import in this file.")).toBeTruthy();
    expect(items("Left out")).toEqual(["Replies to others: 12", "Already here: 1"]);
    expect(screen.queryByRole("list", { name: "First posts" })).toBe(null);
    expect(screen.queryByRole("combobox")).toBe(null);
    expect(screen.getAllByRole("button").map(({ textContent }) => textContent)).toEqual(["Cancel"]);
  });

  test("says that an import waits, and reads its state again after an interruption", async () => {
    let current = anImport({ phase: "importing", done: 1, total: 4, paused: true });
    await opens(null, { "imports.list": () => ({ current, imports: [], seq: 10 }) });
    expect(await screen.findByText("It waits for a moment, and then goes on by itself.")).toBeTruthy();
    current = { ...current, done: 3, paused: false };
    await act(async () => update((s) => ({ ...s, resyncs: s.resyncs + 1 })));
    expect(await screen.findByText("3 of 4 posts")).toBeTruthy();
    expect(screen.getByText("You can leave. It goes on without this page.")).toBeTruthy();
  });

  test("undoes an import after it said what goes", async () => {
    const past: PastImport[] = [
      { id: 9, source: "mastodon", posts: 2, at_ms: noon(2026, 10, 21) },
      { id: 5, source: "mellow", posts: 1, at_ms: noon(2026, 0, 2) },
    ];
    await opens(null, {
      "imports.list": () => ({ current: null, imports: past, seq: 10 }),
      "imports.undo_counts": () => ({ posts: 2, comments: 1, seq: 10 }),
    });
    expect(items("Imports")).toEqual([
      "2 posts from Mastodon21/Nov/26Undo Import",
      "1 post from Mellow02/Jan/26Undo Import",
    ]);
    const [first] = screen.getAllByRole("button", { name: "Undo Import" });
    await press(first as HTMLElement);
    const dialog = within(screen.getByRole("alertdialog", { name: "Undo Import" }));
    expect(await dialog.findByText("2 posts and 1 comment under them will be deleted.")).toBeTruthy();
    await press(dialog.getByRole("button", { name: "Undo Import" }));
    expect(asked("imports.undo")).toMatchObject([{ import_id: 9 }]);
    expect(toasts()).toEqual(["Import undone"]);
    past.shift();
    await happens(12, null, anEnd({ id: 9, result: "undone", posts: 2 }));
    await vi.waitFor(() => expect(items("Imports")).toEqual(["1 post from Mellow02/Jan/26Undo Import"]));
  });

  test("says that an undo was refused, also if its question was closed meanwhile", async () => {
    let refuses = (): void => undefined;
    const waits = new Promise<void>((resolve) => {
      refuses = resolve;
    });
    const past: PastImport = { id: 9, source: "mellow", posts: 1, at_ms: noon(2026, 0, 2) };
    await opens(null, {
      "imports.list": () => ({ current: null, imports: [past], seq: 10 }),
      "imports.undo_counts": () => ({ posts: 1, comments: 0, seq: 10 }),
      "imports.undo": () => waits.then(refuse("fault")),
    });
    await press(button("Undo Import"));
    const dialog = within(screen.getByRole("alertdialog", { name: "Undo Import" }));
    await dialog.findByText("1 post and 0 comments under them will be deleted.");
    await press(dialog.getByRole("button", { name: "Undo Import" }));
    await press(dialog.getByRole("button", { name: "Cancel" }));
    expect(toasts()).toEqual([]);
    await act(async () => refuses());
    await vi.waitFor(() => expect(toasts()).toEqual(["That didn't go through. Please try again."]));
  });

  test("says that the imports could not be read, and tries again", async () => {
    await opens(null, { "imports.list": refuse("timeout", "Too long.", null, 0) });
    const again = await screen.findByRole("button", { name: "Try again" });
    answer({ "imports.list": () => ({ current: null, imports: [], seq: 10 }) }, 11);
    await press(again);
    expect(await screen.findByLabelText("Archive file")).toBeTruthy();
  });
});
