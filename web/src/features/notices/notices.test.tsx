import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { apply } from "../../engine/apply";
import { emptyState } from "../../engine/feature";
import { store, update } from "../../engine/store";
import type { Me, Notice } from "../../engine/types.gen";
import { aMe } from "../../testing/fixtures";
import { answer, ask, asked, refuse } from "../../testing/mockClient";
import { toasts } from "../../testing/toasts";
import { onAnnounce } from "../../ui/announce";
import { toastList } from "../../ui/toast";
import { AccountNotice } from "./AccountNotice";
import { readNotices } from "./list";

vi.mock("../../engine/client", () => import("../../testing/mockClient"));

const login: Notice = { id: 7, kind: "login", text: "Firefox on Linux", at_ms: 3 };
const added: Notice = { id: 6, kind: "passkey_added", text: "Laptop", at_ms: 2 };
const removed: Notice = { id: 5, kind: "passkey_removed", text: "Phone", at_ms: 1 };

/** What the server has for this login. */
let notices: Notice[] = [];
let seq = 10;

const announced: string[] = [];
onAnnounce("polite", ({ text }) => announced.push(text));

const line = () => screen.queryByRole("region", { name: "Account notice" });
const says = () => line()?.querySelector("p")?.textContent ?? null;
const names = () => screen.queryAllByRole("button").map(({ textContent }) => textContent);
/** `detail`: 2 for the second press of a double one. */
const press = (name: string, detail = 1) =>
  act(async () => void fireEvent.click(screen.getByRole("button", { name }), { detail }));

/** A person is signed in on this page. */
const isIn = (more: Partial<Me> = {}, state: "live" | "reconnecting" = "live") =>
  act(async () =>
    update((s) => ({
      ...s,
      session: { phase: "signed-in", me: aMe(more) },
      connection: { ...s.connection, state },
    })),
  );
const isLive = (yes: boolean) =>
  act(async () =>
    update((s) => ({ ...s, connection: { ...s.connection, state: yes ? "live" : "reconnecting" } })),
  );
/** Another device does something. */
async function happens(now: Notice[]): Promise<void> {
  notices = now;
  seq += 1;
  await act(async () => update((s) => apply(s, { ev: "notices.changed", seq })));
}

let stop = (): void => undefined;
beforeEach(async () => {
  notices = [];
  announced.length = 0;
  ask.mockReset();
  toastList.clear();
  answer({ "notices.list": () => ({ notices, seq }) }, seq);
  store.setState(emptyState(), true);
  stop = store.subscribe(readNotices);
  await act(async () => void render(<AccountNotice />));
});
afterEach(async () => {
  // Nobody is signed in any more, so nothing is known.
  await act(async () => store.setState(emptyState(), true));
  stop();
  cleanup();
});

describe("d-v6: the line about the account", () => {
  test.each([
    [login, "New login: Firefox on Linux.", ["That was me", "Log It Out"]],
    [{ ...login, text: "" }, "New login: A browser.", ["That was me", "Log It Out"]],
    [added, "A passkey was added: Laptop.", ["That was me"]],
    [removed, "A passkey was removed: Phone.", ["That was me"]],
  ])("says what another device did: %o", async (notice, text, buttons) => {
    notices = [notice];
    await isIn();
    expect(says()).toBe(text);
    expect(names()).toEqual(buttons);
  });

  test("is absent if there is nothing to tell", async () => {
    await isIn();
    expect(asked("notices.list")).toHaveLength(1);
    expect(line()).toBeNull();
    expect(announced).toEqual([]);
  });

  test("appears at once when something happens, is announced, and leaves the focus where it is", async () => {
    await isIn();
    const before = document.activeElement;
    await happens([login]);
    expect(says()).toBe("New login: Firefox on Linux.");
    expect(announced).toEqual(["New login: Firefox on Linux."]);
    expect(document.activeElement).toBe(before);
  });

  test("is silent in quiet hours", async () => {
    notices = [login];
    await isIn({ quiet_until_ms: 5_000 });
    expect(says()).toBe("New login: Firefox on Linux.");
    expect(announced).toEqual([]);
  });

  test("ends when it is answered, and the next one comes", async () => {
    notices = [login, added];
    await isIn();
    expect(says()).toBe("A passkey was added: Laptop.");
    await press("That was me");
    expect(asked("notices.answer")).toMatchObject([{ notice_id: added.id }]);
    expect(says()).toBe("New login: Firefox on Linux.");
    expect(toasts()).toEqual([]);
  });

  test("is not answered by the second press of a double one, because the next one was not read", async () => {
    notices = [login, added];
    await isIn();
    await press("That was me");
    await press("That was me", 2);
    expect(asked("notices.answer")).toMatchObject([{ notice_id: added.id }]);
    expect(says()).toBe("New login: Firefox on Linux.");
  });

  test("gives the focus back to where it was, also if it came from nowhere to the next one", async () => {
    const box = document.body.appendChild(document.createElement("input"));
    notices = [login, added];
    await isIn();
    await act(async () => box.focus());
    for (const left of [1, 0]) {
      await act(async () => screen.getByRole("button", { name: "That was me" }).focus());
      await press("That was me");
      expect(asked("notices.answer")).toHaveLength(2 - left);
      await vi.waitFor(() => expect(document.activeElement).toBe(box));
      // As a press on a button that is disabled does.
      await act(async () => box.blur());
    }
    box.remove();
  });

  test("stays the one that is read when a newer one comes", async () => {
    notices = [removed];
    await isIn();
    await happens([login, added, removed]);
    expect(says()).toBe("A passkey was removed: Phone.");
  });

  test("logs the other device out", async () => {
    notices = [login];
    await isIn();
    await press("Log It Out");
    expect(asked("notices.end_login")).toMatchObject([{ notice_id: login.id }]);
    expect(toasts()).toEqual(["Login ended"]);
    expect(line()).toBeNull();
  });

  test("stays, with a message, if the answer is refused", async () => {
    notices = [login];
    await isIn();
    answer({ "notices.end_login": refuse("fault") }, seq);
    await press("Log It Out");
    expect(toasts()).toEqual(["That didn't go through. Please try again."]);
    expect(says()).toBe("New login: Firefox on Linux.");
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Log It Out" }).disabled).toBe(false);
  });

  test("is gone when another tab of this browser has answered it", async () => {
    notices = [login];
    await isIn();
    await happens([]);
    expect(line()).toBeNull();
  });
});

describe("the notices", () => {
  const reads = () => asked("notices.list").length;

  test("are not read before somebody is signed in and connected, and once then", async () => {
    expect(reads()).toBe(0);
    await isIn({}, "reconnecting");
    expect(reads()).toBe(0);
    await isLive(true);
    await isIn({ has_unread: true });
    expect(reads()).toBe(1);
  });

  test("are not read again by another connection that missed nothing, but after a resync", async () => {
    await isIn();
    await isLive(false);
    await isLive(true);
    expect(reads()).toBe(1);
    await act(async () => update((s) => ({ ...s, resyncs: s.resyncs + 1 })));
    expect(reads()).toBe(2);
  });

  test("that could not be read are read again by the next connection", async () => {
    notices = [login];
    answer({ "notices.list": refuse("busy") }, seq);
    await isIn();
    await isIn({ has_unread: true });
    expect(reads()).toBe(1);
    answer({ "notices.list": () => ({ notices, seq }) }, seq);
    await isLive(false);
    await isLive(true);
    expect(says()).toBe("New login: Firefox on Linux.");
  });

  test("are those of the newest read, whatever reply comes last", async () => {
    let late = (): void => undefined;
    const waits = new Promise<void>((done) => {
      late = done;
    });
    answer({ "notices.list": () => waits.then(() => ({ notices: [login], seq: 10 })) }, seq);
    await isIn();
    answer({ "notices.list": () => ({ notices: [], seq }) }, seq);
    await happens([]);
    await act(async () => late());
    expect(line()).toBeNull();
  });

  test("are of one person: another who logs in sees none of them, and neither does a guest", async () => {
    notices = [login];
    await isIn();
    expect(line()).not.toBeNull();
    notices = [added];
    await isIn({ id: 2 });
    expect(says()).toBe("A passkey was added: Laptop.");
    await act(async () => update((s) => ({ ...s, session: { phase: "ended", me: aMe({ id: 2 }) } })));
    expect(line()).toBeNull();
  });
});
