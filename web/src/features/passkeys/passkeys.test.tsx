import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { apply } from "../../engine/apply";
import { emptyState } from "../../engine/feature";
import { store, update } from "../../engine/store";
import type { Login, Passkey } from "../../engine/types.gen";
import { aMe } from "../../testing/fixtures";
import type { Answers } from "../../testing/mockClient";
import { answer, ask, asked, refuse } from "../../testing/mockClient";
import {
  OPTIONS,
  aCredential,
  credentials,
  havePasskeys,
  noPasskeys,
  stopped,
  waiting,
} from "../../testing/passkeys";
import { toasts } from "../../testing/toasts";
import { toastList } from "../../ui/toast";
import { Passkeys } from "./Passkeys";

vi.mock("../../engine/client", () => import("../../testing/mockClient"));

const NOON = new Date(2026, 2, 5, 12).getTime();
const WRONG = "Incorrect password. Please try again.";
const laptop: Passkey = { id: 5, name: "Laptop", host: null, added_at_ms: NOON, used_at_ms: null };
const phone: Passkey = { id: 6, name: "Phone", host: null, added_at_ms: NOON, used_at_ms: NOON + 86_400_000 };
const here: Login = { id: 1, device: "Firefox on Linux", created_at_ms: 1, used_at_ms: 1, current: true };

/** What the server has. */
let passkeys: Passkey[] = [];
let available = true;

const items = () => within(screen.getByRole("list", { name: "Passkeys" })).getAllByRole("listitem");
const texts = (item: HTMLElement | undefined): (string | null)[] =>
  [...(item?.querySelectorAll("p, button") ?? [])].map(({ textContent }) => textContent);
const button = (name: string, inside = document.body) =>
  within(inside).getByRole<HTMLButtonElement>("button", { name });
const press = (element: HTMLElement) => act(async () => void fireEvent.click(element));
const field = (name: string) => screen.getByLabelText<HTMLInputElement>(name);
const type = (name: string, value: string) => fireEvent.change(field(name), { target: { value } });
const elsewhere = () => screen.queryByText(/^Passkeys don't work at this address\./u);

/** Lets the server answer, in another way where `more` says so. */
function serve(more: Answers = {}): void {
  answer(
    {
      "passkeys.list": () => ({ passkeys, available, seq: 10 }),
      "auth.logins": () => ({ logins: [here], seq: 10 }),
      "passkeys.begin_add": () => ({ challenge: "c1", options: OPTIONS.create }),
      "passkeys.begin_use": () => ({ challenge: "c2", options: OPTIONS.get }),
      ...more,
    },
    11,
  );
}

async function show(all: Passkey[] = [laptop, phone], more: Answers = {}): Promise<void> {
  passkeys = all;
  serve(more);
  const screenOf = (
    <main>
      <h1 tabIndex={-1}>Settings</h1>
      <Passkeys loading={<p>Loading</p>} />
    </main>
  );
  await act(async () => void render(screenOf));
}

beforeEach(() => {
  havePasskeys();
  available = true;
  ask.mockReset();
  toastList.clear();
  store.setState({ ...emptyState(), session: { phase: "signed-in", me: aMe() } }, true);
});
afterEach(() => {
  cleanup();
  noPasskeys();
});

describe("passkeys in settings", () => {
  test("are listed, with the days on which they were added and last used", async () => {
    await show();
    expect(items().map(texts)).toEqual([
      ["Laptop", "Added 05/Mar/26", "Not used yet", "Rename", "Remove"],
      ["Phone", "Added 05/Mar/26", "Last used 06/Mar/26", "Rename", "Remove"],
    ]);
  });

  test("may be none", async () => {
    await show([]);
    expect(screen.getByText("You have no passkeys.")).toBeTruthy();
    expect(screen.queryByRole("list")).toBeNull();
    expect(button("Add Passkey")).toBeTruthy();
    expect(elsewhere()).toBeNull();
  });

  test("d-v2: of an earlier host name can only be removed", async () => {
    await show([{ ...laptop, host: "old.example" }]);
    expect(items().map(texts)).toEqual([
      ["Laptop", "For old.example", "Added 05/Mar/26", "Not used yet", "Remove"],
    ]);
    await press(button("Remove"));
    expect(screen.queryByRole("button", { name: "Use a Passkey" })).toBeNull();
  });

  test("d-v2: cannot be added at another address, which says so", async () => {
    havePasskeys("other.example");
    await show();
    expect(elsewhere()).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Add Passkey" })).toBeNull();
    await press(button("Remove", items()[0]));
    expect(screen.queryByRole("button", { name: "Use a Passkey" })).toBeNull();
  });

  test("cannot be added after the host has switched them off", async () => {
    available = false;
    await show([]);
    expect(screen.queryByRole("button", { name: "Add Passkey" })).toBeNull();
  });

  test("show a change of another device", async () => {
    await show([laptop]);
    passkeys = [laptop, phone];
    await act(async () => update((s) => apply(s, { ev: "passkeys.changed", seq: 12 })));
    expect(items()).toHaveLength(2);
  });

  test("keep the focus here when another device removes the one whose button has it", async () => {
    await show();
    const list = screen.getByRole("list", { name: "Passkeys" });
    await act(async () => button("Remove", items()[0]).focus());
    passkeys = [phone];
    await act(async () => update((s) => apply(s, { ev: "passkeys.changed", seq: 12 })));
    expect(items()).toHaveLength(1);
    await vi.waitFor(() => expect(document.activeElement).toBe(list.parentElement));
  });

  test("have buttons that say which one they are about", async () => {
    await show();
    for (const [at, name] of ["Laptop", "Phone"].entries())
      for (const word of ["Rename", "Remove"]) {
        const about = button(word, items()[at]).getAttribute("aria-describedby");
        expect(document.getElementById(about ?? "")?.textContent).toBe(name);
      }
  });

  test("that could not be read can be read again", async () => {
    await show([laptop], { "passkeys.list": refuse("busy") });
    serve();
    await press(button("Try again"));
    expect(items()).toHaveLength(1);
  });
});

describe("d-v3: adding a passkey", () => {
  const dialog = () => screen.queryByRole("dialog", { name: "Add Passkey" });
  const add = () => press(button("Add Passkey", dialog() ?? document.body));
  async function opened(more: Answers = {}): Promise<void> {
    await show([], more);
    await press(button("Add Passkey"));
    type("Current password", "a long password");
  }

  test("asks for a name, which is the device's at first, and for the password; then the device makes it", async () => {
    credentials.create.mockResolvedValue(aCredential());
    await opened();
    expect(field("Name").value).toBe("Firefox on Linux");
    type("Name", "  My   laptop ");
    await add();
    expect(asked("passkeys.begin_add")).toEqual([{ name: "My laptop", password: "a long password" }]);
    expect(asked("passkeys.finish_add")).toEqual([
      { key: expect.any(ArrayBuffer), challenge: "c1", response: expect.stringContaining('"rawId":"-_8"') },
    ]);
    expect(dialog()).toBeNull();
    expect(toasts()).toEqual(["Passkey added"]);
    expect(asked("passkeys.list")).toHaveLength(2);
  });

  test("needs a name of at most 40 characters, and the password", async () => {
    await opened();
    const isOff = () => button("Add Passkey", dialog() ?? document.body).disabled;
    expect(isOff()).toBe(false);
    for (const name of ["", " ", "a".repeat(41)]) {
      type("Name", name);
      expect(isOff()).toBe(true);
    }
    type("Name", "a".repeat(40));
    expect(isOff()).toBe(false);
    type("Current password", "");
    expect(isOff()).toBe(true);
  });

  test.each([
    ["the person or the device refuses", stopped(), "The passkey was not added."],
    ["the device fails", new Error("odd"), "The passkey was not added."],
    [
      "it has one already",
      new DOMException("there", "InvalidStateError"),
      "This device already has a passkey here.",
    ],
  ])("says so in the dialog if %s", async (_, error, message) => {
    credentials.create.mockRejectedValue(error);
    await opened();
    await add();
    expect(screen.getByRole("alert").textContent).toBe(message);
    expect(toasts()).toEqual([]);
    expect(field("Current password").value).toBe("a long password");
    type("Current password", "another password");
    expect(screen.queryByRole("alert")).toBeNull();
  });

  test("with a wrong password says so, and asks the device for nothing", async () => {
    await opened({ "passkeys.begin_add": refuse("wrong_password") });
    await add();
    expect(toasts()).toEqual([WRONG]);
    expect(credentials.create).not.toHaveBeenCalled();
    expect(dialog()).not.toBeNull();
  });

  test("shows what the server says about the name beside it, and about the number of passkeys below", async () => {
    await opened({ "passkeys.begin_add": refuse("invalid", "This has odd characters.", "name") });
    await add();
    expect(screen.getByRole("alert").textContent).toBe("This has odd characters.");
    expect(field("Name").getAttribute("aria-invalid")).toBe("true");
    const full = "You have 10 passkeys. Remove one first.";
    serve({ "passkeys.begin_add": refuse("invalid", full, "passkeys") });
    type("Name", "Laptop");
    await add();
    expect(screen.getByRole("alert").textContent).toBe(full);
    expect(field("Name").getAttribute("aria-invalid")).toBeNull();
  });

  test("ends the browser's question when the dialog is closed, and says nothing", async () => {
    credentials.create.mockImplementation(waiting);
    await opened();
    await add();
    const { signal } = credentials.create.mock.calls[0]?.[0] ?? {};
    await press(button("Cancel"));
    expect(signal.aborted).toBe(true);
    expect(dialog()).toBeNull();
    expect(toasts()).toEqual([]);
    expect(asked("passkeys.finish_add")).toEqual([]);
  });
});

describe("a passkey whose reply comes after its dialog was closed", () => {
  let replies = (): void => undefined;
  const late = (ok: object) => {
    const waits = new Promise<void>((resolve) => {
      replies = resolve;
    });
    return () => waits.then(() => ok);
  };

  test("is added, and the next dialog stays open", async () => {
    credentials.create.mockResolvedValue(aCredential());
    await show([], { "passkeys.finish_add": late({ passkey: laptop, seq: 12 }) });
    await press(button("Add Passkey"));
    type("Current password", "a long password");
    const dialog = () => screen.getByRole("dialog", { name: "Add Passkey" });
    await press(button("Add Passkey", dialog()));
    await vi.waitFor(() => expect(asked("passkeys.finish_add")).toHaveLength(1));
    await press(button("Cancel"));
    await press(button("Add Passkey"));
    type("Name", "Kitchen");
    await act(async () => replies());
    await vi.waitFor(() => expect(toasts()).toEqual(["Passkey added"]));
    expect(dialog()).toBeTruthy();
    expect(field("Name").value).toBe("Kitchen");
  });

  test("is removed, and the question about another one stays open", async () => {
    await show([laptop, phone], { "passkeys.remove": late({ seq: 12 }) });
    await press(button("Remove", items()[0]));
    type("Current password", "a long password");
    await press(button("Remove", screen.getByRole("alertdialog")));
    await press(button("Cancel"));
    await press(button("Remove", items()[1]));
    type("Current password", "another");
    await act(async () => replies());
    await vi.waitFor(() => expect(toasts()).toEqual(["Passkey removed"]));
    expect(screen.getByRole("alertdialog", { name: "Remove Phone" })).toBeTruthy();
    expect(field("Current password").value).toBe("another");
  });
});

describe("renaming a passkey", () => {
  const opened = async (more: Answers = {}): Promise<void> => {
    await show([laptop], more);
    await press(button("Rename"));
  };

  test("says without a network that it waits for the connection", async () => {
    await opened({ "passkeys.rename": () => new Promise(() => undefined) });
    await act(async () => update((s) => ({ ...s, connection: { ...s.connection, state: "offline" } })));
    type("Passkey name", "Other");
    await press(button("Save"));
    expect(await screen.findByText("Saved. It will go out when you're back online.")).toBeTruthy();
  });

  test("is done in the list", async () => {
    await opened({
      "passkeys.rename": ({ name }) => {
        passkeys = [{ ...laptop, name: String(name) }];
        return { passkey: passkeys[0], seq: 12 };
      },
    });
    expect(document.activeElement).toBe(field("Passkey name"));
    type("Passkey name", " Work  laptop ");
    await press(button("Save"));
    expect(asked("passkeys.rename")).toMatchObject([{ passkey_id: 5, name: "Work laptop" }]);
    expect(texts(items()[0])[0]).toBe("Work laptop");
    expect(screen.queryByLabelText("Passkey name")).toBeNull();
  });

  test("sends nothing without a change, and ends with Cancel and with Escape", async () => {
    await opened();
    await press(button("Save"));
    await press(button("Rename"));
    type("Passkey name", "Other");
    await press(button("Cancel"));
    await press(button("Rename"));
    expect(field("Passkey name").value).toBe("Laptop");
    fireEvent.keyDown(field("Passkey name"), { key: "Escape" });
    expect(texts(items()[0])[0]).toBe("Laptop");
    expect(asked("passkeys.rename")).toEqual([]);
  });

  test("that is refused keeps the typed name, with the reason", async () => {
    await opened({ "passkeys.rename": refuse("invalid", "This has odd characters.", "name") });
    type("Passkey name", "Other");
    await press(button("Save"));
    expect(screen.getByRole("alert").textContent).toBe("This has odd characters.");
    expect(field("Passkey name").value).toBe("Other");
  });
});

describe("d-v3: removing a passkey", () => {
  const question = () => screen.queryByRole("alertdialog", { name: "Remove Laptop" });
  const removes = (): Answers => ({
    "passkeys.remove": () => {
      passkeys = [phone];
      return { seq: 12 };
    },
  });
  async function opened(more: Answers = removes()): Promise<void> {
    await show([laptop, phone], more);
    await act(async () => button("Remove", items()[0]).focus());
    await press(button("Remove", items()[0]));
  }
  const confirm = () => press(button("Remove", question() ?? document.body));

  test("needs the password, and a press: the Enter key removes nothing", async () => {
    await opened();
    expect(button("Remove", question() ?? document.body).disabled).toBe(true);
    type("Current password", "a long password");
    const form = field("Current password").closest("form");
    await act(async () => void (form !== null && fireEvent.submit(form)));
    expect(asked("passkeys.remove")).toEqual([]);
    await confirm();
    expect(asked("passkeys.remove")).toMatchObject([
      { passkey_id: 5, password: "a long password", challenge: null, response: null },
    ]);
    expect(question()).toBeNull();
    expect(toasts()).toEqual(["Passkey removed"]);
    expect(items().map((item) => texts(item)[0])).toEqual(["Phone"]);
  });

  test("leaves the focus at the list, also if that was read before the question is closed", async () => {
    let replies = (): void => undefined;
    const waits = new Promise<object>((resolve) => {
      replies = () => resolve({ seq: 12 });
    });
    await opened({ "passkeys.remove": () => waits });
    const list = screen.getByRole("list", { name: "Passkeys" });
    type("Current password", "a long password");
    await confirm();
    passkeys = [phone];
    await act(async () => update((s) => apply(s, { ev: "passkeys.changed", seq: 12 })));
    expect(items()).toHaveLength(1);
    await act(async () => replies());
    expect(question()).toBeNull();
    await vi.waitFor(() => expect(document.activeElement).toBe(list.parentElement));
  });

  test("or the use of a passkey", async () => {
    credentials.get.mockResolvedValue(aCredential());
    await opened();
    await press(button("Use a Passkey"));
    expect(asked("passkeys.remove")).toMatchObject([
      {
        passkey_id: 5,
        password: null,
        challenge: "c2",
        response: expect.stringContaining('"signature":"Bgc"'),
      },
    ]);
    expect(toasts()).toEqual(["Passkey removed"]);
  });

  test("with a wrong password says so, and a retry has the same key", async () => {
    await opened({ "passkeys.remove": refuse("wrong_password") });
    type("Current password", "wrong");
    await confirm();
    expect(toasts()).toEqual([WRONG]);
    expect(question()).not.toBeNull();
    serve(removes());
    type("Current password", "right");
    await confirm();
    const keys = asked("passkeys.remove").map(({ key }) => key);
    expect(keys[1]).toBe(keys[0]);
    expect(question()).toBeNull();
  });

  test("that is stopped at the device says nothing; one with an unknown passkey says so", async () => {
    credentials.get.mockRejectedValueOnce(stopped()).mockResolvedValueOnce(aCredential());
    const unknown = "That passkey isn't known here. Please use your password.";
    await opened({ "passkeys.remove": refuse("passkey_unknown", unknown) });
    await press(button("Use a Passkey"));
    expect(toasts()).toEqual([]);
    expect(question()).not.toBeNull();
    await press(button("Use a Passkey"));
    expect(toasts()).toEqual([unknown]);
  });
});
