import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { beforeEach, describe, expect, test, vi } from "vitest";
import SettingsScreen from "./SettingsScreen";
import * as session from "../../engine/session";
import { emptyState } from "../../engine/feature";
import { store, update } from "../../engine/store";
import { aMe } from "../../testing/fixtures";
import { toastList } from "../../ui/toast";
import type { Login, Me } from "../../engine/types.gen";
import { invitesKnown } from "../../features/shared/invites/state";
import * as slice from "../../features/settings/api";
import { toasts } from "../../testing/toasts";

vi.mock("../../engine/session", async (original) => ({
  ...(await original<typeof session>()),
  deleteAccount: vi.fn(),
}));
vi.mock("../../features/settings/api", () => ({
  changeEmail: vi.fn(),
  sendReset: vi.fn(),
  readLogins: vi.fn(),
  logOutOthers: vi.fn(),
  setPrivacy: vi.fn(),
  setQuietHours: vi.fn(),
  readLeftGroups: vi.fn(),
  allowAgain: vi.fn(),
  exportData: vi.fn(),
}));

const asked = vi.mocked(slice);
const deleteAccount = vi.mocked(session.deleteAccount);
const no = (code: string, message = "No.", field: string | null = null): session.RefusedError =>
  new session.RefusedError(code, message, field);

const HERE: Login = {
  id: 1,
  device: "Firefox on Linux",
  created_at_ms: Date.now() - 3 * 86_400_000,
  used_at_ms: Date.now(),
  current: true,
};
const THERE: Login = {
  id: 2,
  device: "",
  created_at_ms: Date.now() - 90_000_000,
  used_at_ms: Date.now() - 3_600_000,
  current: false,
};

const region = (name: string) => within(screen.getByRole("region", { name }));
const press = async (button: HTMLElement): Promise<void> => {
  await act(async () => fireEvent.click(button));
};
const type = (box: HTMLElement, value: string): void => void fireEvent.change(box, { target: { value } });

async function open(): Promise<void> {
  await act(async () => void render(<SettingsScreen />));
}

beforeEach(() => {
  vi.resetAllMocks();
  toastList.clear();
  localStorage.clear();
  asked.readLeftGroups.mockResolvedValue([]);
  asked.readLogins.mockResolvedValue([HERE, THERE]);
  store.setState({ ...emptyState(), session: { phase: "signed-in", me: aMe() } }, true);
});

describe("settings", () => {
  const ALL = [
    "Privacy",
    "Quiet hours",
    "Blocked and muted",
    "Language",
    "Time here",
    "Look",
    "Your logins",
    "Your data",
    "Help",
    "Account",
  ];

  test("have nine regions under one heading", async () => {
    await open();
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Settings");
    expect(
      screen.getAllByRole("region").map((one) => within(one).getByRole("heading", { level: 2 }).textContent),
    ).toEqual(ALL);
    expect(
      region("Help")
        .getAllByRole("heading", { level: 3 })
        .map((one) => one.textContent),
    ).toEqual(["iPhone", "Android", "About"]);
  });

  test("begin with links to their regions, and end with the deletion of the account", async () => {
    await open();
    const links = within(screen.getByRole("navigation", { name: "Sections" })).getAllByRole("link");
    // It is not known yet whether this person may invite.
    expect(links.map((link) => link.textContent)).toEqual(ALL.toSpliced(3, 0, "Invitations"));
    for (const link of links.filter((one) => one.textContent !== "Invitations")) {
      const target = document.getElementById(link.getAttribute("href")?.slice(1) ?? "");
      expect(target?.matches("section")).toBe(true);
      await press(link);
      expect(document.activeElement?.textContent).toBe(link.textContent);
    }
    expect(screen.getAllByRole("button").at(-1)?.textContent).toBe("Delete Account");
  });

  test("open at what the address names", async () => {
    history.replaceState(null, "", "/settings#your-logins");
    await open();
    expect(document.activeElement?.textContent).toBe("Your logins");
    cleanup();
    // A control in a section, which is known a little later.
    history.replaceState(null, "", "/settings#create-invitation");
    await open();
    await act(async () => update((s) => invitesKnown(s, [], 1)));
    expect(document.activeElement?.textContent).toBe("Create Invitation");
    history.replaceState(null, "", "/");
  });

  test("show the email address, and the new one that waits to be confirmed", async () => {
    await open();
    expect(region("Account").getByText("ana@example.org")).toBeDefined();
    act(() =>
      update((s) => ({ ...s, session: { ...s.session, me: aMe({ pending_email: "new@example.org" }) } })),
    );
    expect(region("Account").getByText("Waiting for you to confirm new@example.org")).toBeDefined();
  });
});

describe("changing the email address", () => {
  async function dialog() {
    await open();
    await press(region("Account").getByRole("button", { name: "Change Email" }));
    const inside = within(screen.getByRole("dialog", { name: "Change Email" }));
    const send = async (address: string, password: string): Promise<void> => {
      type(inside.getByRole("textbox", { name: "New email" }), address);
      type(inside.getByLabelText("Current password"), password);
      await press(inside.getByRole("button", { name: "Change Email" }));
    };
    return { inside, send };
  }

  test("to an invalid one shows an error beside the field, without a request", async () => {
    const { inside, send } = await dialog();
    await send("not an address", "a long password");
    expect(inside.getByRole("alert").textContent).toBe("Please enter a valid email address.");
    expect(inside.getByRole("textbox", { name: "New email" }).getAttribute("aria-invalid")).toBe("true");
    expect(asked.changeEmail).not.toHaveBeenCalled();
  });

  test.each([
    [no("wrong_password"), "Incorrect password. Please try again."],
    [no("email_taken"), "This email is already in use. Please use a different email."],
    [no("fault"), "Error updating email. Please try again."],
    [new Error("no line"), "Error updating email. Please try again."],
    [
      no("slow_down", "That was a lot at once. Try again in a while."),
      "That was a lot at once. Try again in a while.",
    ],
  ])("shows a message and keeps the typed text after a refusal: %s", async (error, message) => {
    asked.changeEmail.mockRejectedValue(error);
    const { inside, send } = await dialog();
    await send(" new@example.org ", "a long password");
    expect(toasts()).toEqual([message]);
    expect(inside.getByLabelText<HTMLInputElement>("Current password").value).toBe("a long password");
  });

  test("shows the server's refusal of the address beside the field", async () => {
    asked.changeEmail.mockRejectedValue(no("invalid", "Please enter a valid email address.", "email"));
    const { inside, send } = await dialog();
    await send("a@b", "a long password");
    expect(inside.getByRole("alert").textContent).toBe("Please enter a valid email address.");
    expect(toasts()).toEqual([]);
  });

  test("closes the dialog and shows a message; a retry has the same key", async () => {
    asked.changeEmail.mockRejectedValueOnce(no("timeout"));
    const { inside, send } = await dialog();
    await send("new@example.org", "a long password");
    await press(inside.getByRole("button", { name: "Change Email" }));
    expect(asked.changeEmail.mock.calls[1]).toEqual(asked.changeEmail.mock.calls[0]);
    expect(asked.changeEmail.mock.calls[1]?.[0]).toBe(asked.changeEmail.mock.calls[0]?.[0]);
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(toasts()).toContain(
      "Verification email sent! Please check your new email to complete the update.",
    );
  });
});

describe("sending a mail for a new password", () => {
  test("shows a message of success or failure", async () => {
    asked.sendReset.mockRejectedValueOnce(new Error("no line"));
    await open();
    const button = region("Account").getByRole("button", { name: "Send Password Reset Email" });
    await press(button);
    await press(button);
    expect(toasts()).toEqual([
      "Error sending password reset. Please try again.",
      "Password reset email sent successfully!",
    ]);
  });
});

describe("deleting the account", () => {
  async function dialog() {
    await open();
    await press(region("Account").getByRole("button", { name: "Delete Account" }));
    return within(screen.getByRole("dialog", { name: "Delete Account" }));
  }

  test("says what is deleted and what stays, and offers an export", async () => {
    const inside = await dialog();
    expect(inside.getByText(/backups/u)).toBeDefined();
    expect(inside.getByRole("button", { name: "Export My Data" })).toBeDefined();
    expect(document.activeElement?.textContent).toMatch(/^This goes at once/u);
  });

  test.each([
    [{ every_hours: 24, kept: 30 }, "copies in the host's backups, which age out after 30 days"],
    [{ every_hours: 6, kept: 9 }, "copies in the host's backups, which age out after 3 days"],
    [{ every_hours: 12, kept: 2 }, "copies in the host's backups, which age out after 1 day"],
    [{ every_hours: 24, kept: 0 }, "copies in the host's backups, which the host keeps"],
    [{ every_hours: 0, kept: 30 }, "copies in backups that the host may have made by hand"],
    [{ every_hours: 0, kept: 0 }, "copies in backups that the host may have made by hand"],
    [null, "copies in the host's backups, which the host keeps"],
  ])("says how long backups keep copies, with %o", async (backups, words) => {
    update((s) => ({ ...s, backups }));
    const inside = await dialog();
    expect(inside.getByText(/backups/u).textContent).toBe(words);
  });

  test("does not happen by the Enter key", async () => {
    const inside = await dialog();
    type(inside.getByLabelText("Current password"), "a long password");
    const form = inside.getByLabelText("Current password").closest("form");
    await act(async () => void (form !== null && fireEvent.submit(form)));
    expect(deleteAccount).not.toHaveBeenCalled();
  });

  test.each([
    [no("wrong_password"), "Incorrect password. Please try again."],
    [new Error("no line"), "Error deleting account. Please try again."],
  ])("shows a message and keeps the dialog open after a refusal: %s", async (error, message) => {
    deleteAccount.mockRejectedValue(error);
    const inside = await dialog();
    type(inside.getByLabelText("Current password"), "a long password");
    await press(inside.getByRole("button", { name: "Delete Account" }));
    expect(toasts()).toEqual([message]);
    expect(screen.getByRole("dialog", { name: "Delete Account" })).toBeDefined();
  });

  test("keeps the dialog open until it is done, and then shows a message", async () => {
    let done = (): void => undefined;
    deleteAccount.mockReturnValue(new Promise((resolve) => (done = resolve)));
    const inside = await dialog();
    type(inside.getByLabelText("Current password"), "a long password");
    await press(inside.getByRole("button", { name: "Delete Account" }));
    fireEvent.keyDown(document, { key: "Escape" });
    expect(screen.getByRole("dialog", { name: "Delete Account" })).toBeDefined();
    expect(toasts()).toEqual([]);
    await act(async () => done());
    expect(deleteAccount).toHaveBeenCalledWith("a long password");
    expect(toasts()).toEqual(["Account deleted successfully"]);
  });
});

describe("logins", () => {
  test("are listed, and all others can be ended", async () => {
    await open();
    const [here, there] = region("Your logins").getAllByRole("listitem");
    expect(here?.textContent).toBe("Firefox on LinuxThis deviceLogged in 3 days ago");
    expect(there?.textContent).toBe("A browserLogged in yesterday, last used within a day");
    asked.readLogins.mockResolvedValue([HERE]);
    await press(region("Your logins").getByRole("button", { name: "Log Out Other Devices" }));
    expect(region("Your logins").getByRole("status").textContent).toBe("Your other devices are logged out.");
    expect(region("Your logins").getAllByRole("listitem")).toHaveLength(1);
  });

  test("show a login of an unknown browser at once", async () => {
    asked.readLogins.mockResolvedValue([HERE]);
    await open();
    expect(region("Your logins").getAllByRole("listitem")).toHaveLength(1);
    asked.readLogins.mockResolvedValue([HERE, THERE]);
    await act(async () => update((s) => ({ ...s, changedAt: s.changedAt + 1 })));
    expect(region("Your logins").getAllByRole("listitem")).toHaveLength(2);
  });

  test("that failed to load can be loaded again", async () => {
    asked.readLogins.mockRejectedValueOnce(new Error("no line"));
    await open();
    await press(region("Your logins").getByRole("button", { name: "Try again" }));
    expect(region("Your logins").getAllByRole("listitem")).toHaveLength(2);
  });
});

describe("hiding numbers", () => {
  const numbers = () => region("Privacy").getByRole("switch", { name: "Hide numbers" });

  test("is shown at once, and is undone with a reason if it is refused", async () => {
    let refuse = (_error: Error): void => undefined;
    asked.setPrivacy.mockReturnValue(new Promise((_, reject) => (refuse = reject)));
    await open();
    await press(numbers());
    expect(numbers().getAttribute("aria-checked")).toBe("true");
    expect(numbers().hasAttribute("disabled")).toBe(true);
    await act(async () => refuse(new Error("no line")));
    expect(numbers().getAttribute("aria-checked")).toBe("false");
    expect(region("Privacy").getByRole("alert").textContent).toBe(
      "This could not be saved just now. Please try again.",
    );
  });

  test("shows a change of another tab", async () => {
    await open();
    act(() => update((s) => ({ ...s, session: { ...s.session, me: aMe({ hide_numbers: true }) } })));
    expect(numbers().getAttribute("aria-checked")).toBe("true");
    await press(numbers());
    expect(asked.setPrivacy).toHaveBeenCalledWith({ hide_numbers: false });
  });
});

test("a press switches off being listed under People", async () => {
  const listed = () => region("Privacy").getByRole("switch", { name: "List me under People" });
  await open();
  expect(listed().getAttribute("aria-checked")).toBe("true");
  await press(listed());
  expect(asked.setPrivacy).toHaveBeenCalledWith({ listed: false });
  act(() => update((s) => ({ ...s, session: { ...s.session, me: aMe({ listed: false }) } })));
  expect(listed().getAttribute("aria-checked")).toBe("false");
});

describe("what others may do", () => {
  const choice = (group: string, name: string) =>
    within(region("Privacy").getByRole("radiogroup", { name: group })).getByRole<HTMLInputElement>("radio", {
      name,
    });

  test.each([
    ["Who can add me to groups", "Anyone who follows me", "Nobody", { adders: "nobody" }],
    ["Who can add me to groups", "Anyone who follows me", "People I follow", { adders: "followed" }],
    ["Who can comment on my posts", "Everyone here", "People who follow me", { commenters: "followers" }],
    ["Who can comment on my posts", "Everyone here", "People I follow", { commenters: "followed" }],
  ])("%s: from %s to %s", async (group, before, after, wish) => {
    let answer = (): void => undefined;
    asked.setPrivacy.mockReturnValue(new Promise((done) => (answer = () => done())));
    await open();
    expect(choice(group, before).checked).toBe(true);
    await press(choice(group, after));
    expect(asked.setPrivacy).toHaveBeenCalledWith(wish);
    expect([choice(group, after).checked, choice(group, after).disabled]).toEqual([true, true]);
    act(() => update((s) => ({ ...s, session: { ...s.session, me: aMe(wish as Partial<Me>) } })));
    await act(async () => answer());
    expect([choice(group, after).checked, choice(group, before).disabled]).toEqual([true, false]);
  });

  test("returns to the old choice with a reason if the change is refused", async () => {
    asked.setPrivacy.mockRejectedValue(no("slow_down", "Take a breath."));
    await open();
    await press(choice("Who can comment on my posts", "People I follow"));
    expect(choice("Who can comment on my posts", "Everyone here").checked).toBe(true);
    expect(region("Privacy").getByRole("alert").textContent).toBe("Take a breath.");
  });

  test("lists groups that the viewer left until they allow being added again", async () => {
    asked.readLeftGroups.mockResolvedValue([
      { id: 50, name: "Family" },
      { id: 60, name: "Walks" },
    ]);
    asked.allowAgain.mockResolvedValue([{ id: 60, name: "Walks" }]);
    await open();
    const left = () => within(region("Privacy").getByRole("list", { name: "Groups you left" }));
    const [first] = left().getAllByRole("listitem");
    await press(within(first!).getByRole("button", { name: "Allow adding again" }));
    expect(asked.allowAgain).toHaveBeenCalledWith(50);
    expect(left().getAllByRole("listitem")).toHaveLength(1);
    expect(left().getByText("Walks")).toBeTruthy();
  });
});

describe("the look", () => {
  test("has two groups of three choices each", async () => {
    await open();
    for (const [group, names] of [
      ["Theme", ["Light", "Dark", "Same as device"]],
      ["Motion", ["Full", "Reduced", "Same as device"]],
    ] as const) {
      const inside = within(region("Look").getByRole("radiogroup", { name: group }));
      expect(inside.getAllByRole("radio").map((radio) => radio.closest("label")?.textContent)).toEqual(names);
      expect(inside.getByRole<HTMLInputElement>("radio", { name: "Same as device" }).checked).toBe(true);
    }
    await press(region("Look").getByRole("radio", { name: "Dark" }));
    expect(region("Look").getByRole<HTMLInputElement>("radio", { name: "Dark" }).checked).toBe(true);
    expect(document.documentElement.dataset["theme"]).toBe("dark");
  });
});

test("your data has the way to bring posts from elsewhere, unless the host has turned it off", async () => {
  await open();
  expect(region("Your data").queryByRole("link", { name: "Import posts" })).toBe(null);
  cleanup();
  const meta = Object.assign(document.createElement("meta"), { name: "mellow:imports", content: "512" });
  document.head.append(meta);
  await open();
  const link = region("Your data").getByRole("link", { name: "Import posts" });
  expect(link.getAttribute("href")).toBe("/import");
  meta.remove();
});

describe("the export of the viewer's data", () => {
  test("is downloaded as a file, and the page stays", async () => {
    const clicked: string[] = [];
    vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
      clicked.push(`${this.getAttribute("href") ?? ""} ${String(this.hasAttribute("download"))}`);
    });
    asked.exportData.mockResolvedValue("/export/t1");
    await open();
    await press(region("Your data").getByRole("button", { name: "Export My Data" }));
    expect(clicked).toEqual(["/export/t1 true"]);
    expect(region("Your data").getByRole("status").textContent).not.toBe("");
  });

  test("shows the reason if it is refused", async () => {
    asked.exportData.mockRejectedValue(no("slow_down", "Five times a day is enough."));
    await open();
    await press(region("Your data").getByRole("button", { name: "Export My Data" }));
    expect(region("Your data").getByRole("alert").textContent).toBe("Five times a day is enough.");
  });
});
