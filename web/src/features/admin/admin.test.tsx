import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import { store, update } from "../../engine/store";
import type { AdminPerson, AdminReport } from "../../engine/types.gen";
import { anasFeed } from "../../testing/fixtures";
import { answer, ask, asked, refuse } from "../../testing/mockClient";
import type { Answers } from "../../testing/mockClient";
import { toastList } from "../../ui/toast";
import { Admin } from "./Admin";
import { size } from "./Health";
import type { Tab } from "./words";
import { toasts } from "../../testing/toasts";

vi.mock("../../engine/client", () => import("../../testing/mockClient"));

const user = (id: number, name: string) => ({ id, name, photo_url: null });
const ben: AdminPerson = {
  user: user(2, "Ben"),
  created_at_ms: Date.UTC(2026, 10, 19, 12),
  inviter: user(1, "Ana"),
  is_admin: false,
  is_suspended: false,
};
const report: AdminReport = {
  id: 50,
  about: { type: "comment", comment_id: 9 },
  reason: "harassment",
  details: "Every day.",
  words: "stay off the canal",
  content_note: null,
  reported_at_ms: Date.now(),
  reporter: user(3, "Cleo"),
  author: user(2, "Ben"),
  view: "/post/7",
  may_suspend: true,
};
const page = (people: AdminPerson[], more = false): Answers => ({
  "admin.people": () => ({ people, has_more: more, seq: 5 }),
});

const open = async (tab: Tab, answers: Answers) => {
  answer(answers, 5);
  const onTab = vi.fn();
  await act(async () => render(<Admin tab={tab} onTab={onTab} />));
  return onTab;
};
const rows = (list: string) => within(screen.getByRole("list", { name: list })).getAllByRole("listitem");
const names = (within_: HTMLElement) =>
  within(within_)
    .getAllByRole("button")
    .map((one) => one.textContent);
const press = (name: string, where: HTMLElement = document.body) =>
  act(async () => fireEvent.click(within(where).getByRole("button", { name })));
/** Receives the event that data for admins has changed. */
const changes = () => act(async () => update((s) => ({ ...s, changedAt: s.changedAt + 1 })));

beforeEach(() => {
  cleanup();
  ask.mockReset();
  toastList.clear();
  store.setState(anasFeed([]), true);
});

test("there are six tabs, and the arrow keys go from the last to the first", async () => {
  const onTab = await open("people", page([]));
  const tabs = screen.getAllByRole("tab");
  expect(tabs.map((tab) => tab.textContent)).toEqual([
    "People",
    "Reports",
    "Invitations",
    "Theme",
    "Health",
    "Log",
  ]);
  for (const [key, to, index] of [
    ["ArrowRight", "reports", 1],
    ["ArrowLeft", "log", 5],
    ["End", "log", 5],
    ["Home", "people", 0],
  ] as const) {
    fireEvent.keyDown(screen.getByRole("tab", { selected: true }), { key });
    expect(onTab).toHaveBeenLastCalledWith(to);
    expect(document.activeElement).toBe(tabs[index]);
  }
  onTab.mockClear();
  fireEvent.click(screen.getByRole("tab", { selected: true }));
  expect(onTab).not.toHaveBeenCalled();
});

test("a user's row has four buttons in their order, and an admin's row has none", async () => {
  const ana: AdminPerson = { ...ben, user: user(1, "Ana"), inviter: null, is_admin: true };
  await open("people", page([ben, ana]));
  const [first, second] = rows("People");
  expect(names(first as HTMLElement)).toEqual(["Suspend", "End Logins", "Reset Link", "Delete"]);
  // What tells two people of one name apart.
  expect(first?.textContent).toContain("Joined 19/Nov/26Invited by AnaId 2");
  expect(second?.textContent).toContain("AnaJoined 19/Nov/26Id 1Admin");
  expect(within(second as HTMLElement).queryAllByRole("button")).toEqual([]);
});

test("a user is suspended after a question, and can be unsuspended", async () => {
  await open("people", page([ben]));
  await press("Suspend");
  expect(asked("admin.suspend")).toEqual([]);
  await press("Suspend", screen.getByRole("dialog", { name: "Suspend Ben" }));
  expect(toasts()).toEqual(["User suspended"]);
  expect(screen.queryByRole("dialog")).toBeNull();
  answer(page([{ ...ben, is_suspended: true }]), 6);
  await changes();
  expect(rows("People")[0]?.textContent).toContain("Suspended");
  await press("Unsuspend");
  expect(asked("admin.suspend").map(({ user_id, suspended }) => [user_id, suspended])).toEqual([
    [2, true],
    [2, false],
  ]);
  expect(toasts()).toContain("User unsuspended");
});

test("an account is deleted only with the admin's own password", async () => {
  await open("people", { ...page([ben]), "admin.delete": refuse("wrong_password") });
  await press("Delete");
  const dialog = screen.getByRole("dialog", { name: "Delete Ben" });
  expect(dialog.textContent).toContain("Id 2");
  const sure = () => within(dialog).getByRole<HTMLButtonElement>("button", { name: "Delete" });
  expect(sure().disabled).toBe(true);
  const password = screen.getByLabelText("Current password");
  fireEvent.change(password, { target: { value: "not mine" } });
  await press("Delete", dialog);
  expect(toasts()).toEqual(["Incorrect password. Please try again."]);
  answer(page([]), 7);
  fireEvent.change(password, { target: { value: "mine" } });
  await press("Delete", dialog);
  expect(asked("admin.delete").at(-1)).toEqual({ user_id: 2, password: "mine" });
  expect(toasts()).toContain("Account deleted successfully");
});

test("a reset link is made when its dialog opens, and can be made again after a failure", async () => {
  await open("people", { ...page([ben]), "admin.reset_link": refuse("busy") });
  await press("Reset Link");
  const dialog = screen.getByRole("dialog", { name: "Reset Link" });
  const copy = within(dialog).getByRole<HTMLButtonElement>("button", { name: "Copy Link" });
  expect(copy.disabled).toBe(true);
  answer({ ...page([ben]), "admin.reset_link": () => ({ url: "https://m.example/reset#x" }) }, 5);
  await press("Try again", dialog);
  expect(within(dialog).getByRole<HTMLInputElement>("textbox", { name: "Reset link" }).value).toBe(
    "https://m.example/reset#x",
  );
  expect(copy.disabled).toBe(false);
});

test("the next page of people can be loaded", async () => {
  await open("people", page([ben], true));
  answer(page([{ ...ben, user: user(1, "Ana") }]), 5);
  await press("Show more");
  expect(asked("admin.people").at(-1)).toEqual({ term: "", before: 2 });
  expect(rows("People")).toHaveLength(2);
  expect(screen.queryByRole("button", { name: "Show more" })).toBeNull();
});

test("a new report appears without a reload, with the actions of the admin", async () => {
  await open("reports", { "admin.reports": () => ({ reports: [], has_more: false, seq: 5 }) });
  expect(screen.getByText("No open reports.")).toBeTruthy();
  answer({ "admin.reports": () => ({ reports: [report], has_more: false, seq: 6 }) }, 6);
  await changes();
  const [row] = rows("Reports");
  for (const part of [
    "Harassment",
    "Comment by Ben",
    "stay off the canal",
    "Every day.",
    "Reported by Cleo",
    "Id 2",
    "Id 3",
  ])
    expect(row?.textContent).toContain(part);
  expect(screen.getByRole("link", { name: "View" }).getAttribute("href")).toBe("/post/7");
  expect(names(row as HTMLElement)).toEqual(["Dismiss", "Remove Content", "Suspend"]);
  await press("Dismiss");
  expect(asked("admin.dismiss_report")[0]?.["report_id"]).toBe(50);
  expect(toasts()).toEqual(["Report dismissed"]);
});

test("d-u8: the report of a post has its content note beside its words", async () => {
  const about = { type: "post", post_id: 7 } as const;
  await open("reports", {
    "admin.reports": () => ({
      reports: [{ ...report, id: 51, about, content_note: "Knives" }, report],
      has_more: false,
      seq: 5,
    }),
  });
  const [noted, plain] = rows("Reports");
  expect(noted?.textContent).toContain("Content note: Knives");
  expect(noted?.textContent).toContain("stay off the canal");
  expect(plain?.textContent).not.toContain("Content note");
});

test("a long reported text is folded until it is read on", async () => {
  const words = "Cheap bowls, link in bio. ".repeat(40);
  await open("reports", {
    "admin.reports": () => ({ reports: [{ ...report, words }], has_more: false, seq: 5 }),
  });
  const quote = () => rows("Reports")[0]?.querySelector("blockquote");
  expect(quote()?.hasAttribute("data-folded")).toBe(true);
  await press("Read more");
  expect(quote()?.hasAttribute("data-folded")).toBe(false);
  expect(screen.getByRole("button", { name: "Read less" }).getAttribute("aria-expanded")).toBe("true");
});

test("content is removed after a question", async () => {
  await open("reports", { "admin.reports": () => ({ reports: [report], has_more: false, seq: 5 }) });
  await press("Remove Content");
  expect(asked("admin.remove_content")).toEqual([]);
  await press("Remove", screen.getByRole("alertdialog"));
  expect(asked("admin.remove_content")[0]?.["report_id"]).toBe(50);
  expect(toasts()).toEqual(["Content removed"]);
});

test("a report of a user offers no removal, and a report of content that the admin may not see has no link", async () => {
  const about = { type: "user", user_id: 2 } as const;
  const reports = [{ ...report, about, words: "", view: null, may_suspend: false }];
  await open("reports", { "admin.reports": () => ({ reports, has_more: false, seq: 5 }) });
  expect(names(rows("Reports")[0] as HTMLElement)).toEqual(["Dismiss"]);
  expect(screen.queryByRole("link", { name: "View" })).toBeNull();
});

test("an invitation shows its maker and how often it was used, and can be revoked", async () => {
  const invite = { code: "abc", created_at_ms: 1, ends_at_ms: null, uses: 1, uses_max: 20 };
  const invites = [{ invite, maker: null }];
  await open("invitations", { "invites.all": () => ({ invites, next: null, seq: 5 }) });
  const [row] = rows("Invitations");
  for (const part of ["/invite/abc", "By Command line", "Never ends", "1 of 20 uses"])
    expect(row?.textContent).toContain(part);
  await press("Revoke");
  expect(asked("invites.revoke")[0]?.["code"]).toBe("abc");
  expect(toasts()).toEqual(["Invitation revoked"]);
});

test("the theme of a day can be changed, and a theme that was set can be cleared", async () => {
  const theme = { title: "Boats", description: "Which one?", tag: "boats", day: "2026-11-22" };
  const days = [
    { day: "2026-11-22", theme, is_set: true },
    { day: "2026-11-23", theme: null, is_set: false },
  ];
  await open("theme", { "theme.schedule": () => ({ days, seq: 5 }) });
  const [today, tomorrow] = rows("Theme schedule") as [HTMLElement, HTMLElement];
  expect(today.textContent).toContain("Boats22/Nov/26#boats");
  expect([names(today), names(tomorrow)]).toEqual([["Edit", "Clear"], ["Edit"]]);
  await press("Edit", tomorrow);
  fireEvent.change(screen.getByRole("textbox", { name: "Title" }), { target: { value: "Doors" } });
  fireEvent.change(screen.getByRole("textbox", { name: "Tag" }), { target: { value: "doors" } });
  await press("Save");
  const { key: _key, ...fields } = asked("theme.set")[0] ?? {};
  expect(fields).toEqual({ day: "2026-11-23", title: "Doors", description: "", tag: "doors" });
  expect(screen.queryByRole("textbox")).toBeNull();
  await press("Clear", today);
  expect(asked("theme.clear")[0]?.["day"]).toBe("2026-11-22");
});

test("the typed text stays if a theme is refused", async () => {
  const days = [{ day: "2026-11-23", theme: null, is_set: false }];
  await open("theme", {
    "theme.schedule": () => ({ days, seq: 5 }),
    "theme.set": refuse("x", "A tag is missing."),
  });
  await press("Edit");
  fireEvent.change(screen.getByRole("textbox", { name: "Title" }), { target: { value: "Doors" } });
  await press("Save");
  expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Title" }).value).toBe("Doors");
  expect(toastList.get()).toHaveLength(1);
});

const figures = {
  sockets: 31,
  fronts: [{ name: "0f3a9c", sockets: 20, lag_writes: 0 }],
  writer_queue: 0,
  database_bytes: 2.6 * 1024 * 1024,
  media_bytes: 0,
  free_bytes: null,
  backups: [],
  backup_failure: "the disk is full",
  mail_failure: "the mail server answers 535 to the login; check the name and password in smtp_url",
  version: "1.0.0",
};

test("health shows its figures and why a backup failed and mails wait, and can make a backup", async () => {
  await open("health", { "admin.health": () => figures });
  expect(rows("Health").map((row) => row.textContent)).toEqual([
    "Live sockets 31",
    "Writer queue 0",
    "Database size 2.6 MiB",
    "Media size 0 bytes",
    "Free disk Unknown",
    "Last backup None yet",
    "Version 1.0.0",
    "Sockets at 0f3a9c 20",
  ]);
  expect(screen.getByText("The newest try failed: the disk is full")).toBeTruthy();
  expect(screen.getByText(/^Mails wait: the mail server answers 535 .* smtp_url$/u)).toBeTruthy();
  expect(screen.getByText("No backups yet.")).toBeTruthy();
  const backups = [{ name: "mellow-20261122T074400Z", made_at_ms: Date.now() }];
  answer({ "admin.health": () => ({ ...figures, backups, backup_failure: null, mail_failure: null }) }, 6);
  await press("Back Up Now");
  expect(toasts()).toEqual(["Backup made"]);
  await changes();
  expect(rows("Backups")[0]?.textContent).toContain("mellow-20261122T074400Z");
  expect(screen.queryByText(/newest try failed/u)).toBeNull();
  expect(screen.queryByText(/Mails wait/u)).toBeNull();
});

test("a size is shown in a unit that fits it", () => {
  expect([0, 1023, 1024, 1536 * 1024, 3 * 1024 ** 4].map(size)).toEqual([
    "0 bytes",
    "1023 bytes",
    "1.0 KiB",
    "1.5 MiB",
    "3.0 TiB",
  ]);
});

test("the log says who did what to whom, also for deleted accounts", async () => {
  const line = { at_ms: Date.now(), by_command: false, admin: user(1, "Ana"), user: user(2, "Ben") };
  const lines = [
    { ...line, id: 4, act: "demoted" },
    { ...line, id: 3, act: "suspended", user: null },
    { ...line, id: 2, act: "promoted", by_command: true, admin: null },
    { ...line, id: 1, act: "backed_up", admin: null },
  ];
  await open("log", { "admin.log": () => ({ lines, has_more: false, seq: 5 }) });
  const lines_ = rows("Admin log").map((row) => row.querySelector("span")?.textContent);
  expect(lines_).toEqual([
    "Ana took admin rights from Ben",
    "Ana suspended somebody whose account is gone",
    "Command line made Ben an admin",
    "A former admin made a backup",
  ]);
});

test("a list that could not be read can be read again", async () => {
  await open("log", { "admin.log": refuse("busy") });
  answer({ "admin.log": () => ({ lines: [], has_more: false, seq: 5 }) }, 5);
  await press("Try again");
  expect(screen.getByText("Nothing was changed yet.")).toBeTruthy();
});
