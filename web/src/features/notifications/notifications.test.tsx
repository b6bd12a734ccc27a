import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { RefusedError } from "../../engine/ask";
import type { Notification } from "../../engine/types.gen";
import { apply } from "../../engine/apply";
import { dropNotifications, hasDot } from "./state";
import { emptyState } from "../../engine/feature";
import { store, update } from "../../engine/store";
import { ANA, BEN, aMe, anEdit } from "../../testing/fixtures";
import { NotificationList } from "./NotificationList";
import { openNotifications } from "./markSeen";

const ask = vi.hoisted(() => vi.fn());
vi.mock("../../engine/client", () => ({
  ask,
  client: { onScreen: () => () => undefined, tidy: () => undefined },
}));

const ZOE = { id: 3, name: "Zoë 🌿", photo_url: null };
const notice = (id: number, more: Partial<Notification> = {}): Notification => ({
  id,
  kind: "comment",
  actor_id: BEN.id,
  post_id: 100,
  comment_id: id,
  comment_text: `so said ${id}`,
  post_text: "The kettle is on.",
  content_note: null,
  created_at_ms: Date.now(),
  unread: true,
  ...more,
});
const follow = (id: number): Notification =>
  notice(id, {
    kind: "follow",
    actor_id: ZOE.id,
    post_id: null,
    comment_id: null,
    comment_text: null,
    post_text: null,
  });

type Answers = Record<string, (fields: Record<string, unknown>) => unknown>;

/** Makes the server answer from this table. */
function server(answers: Answers): void {
  ask.mockImplementation(
    async (op: string, fields: Record<string, unknown>) => answers[op]?.(fields) ?? { seq: 10 },
  );
}
const page =
  (notifications: Notification[], more: object = {}) =>
  () => ({ notifications, users: [ANA, BEN, ZOE], older: null, has_unread: true, seq: 10, ...more });
const asked = (op: string) => ask.mock.calls.filter(([name]) => name === op);
const items = () => within(screen.getByRole("list", { name: "Notifications" })).getAllByRole("listitem");
const places = () => items().map((item) => item.querySelector("[data-place]")?.getAttribute("data-place"));
const deletes = () => screen.getAllByRole("button", { name: "Delete" });

async function show(notifications: Notification[], more: Answers = {}): Promise<void> {
  server({ "notifications.page": page(notifications), "notifications.read": () => ({ seq: 11 }), ...more });
  render(<NotificationList />);
  await screen.findByText(/You're all caught up\.|All quiet\.|Show older/);
}

beforeEach(() => {
  ask.mockReset();
  store.setState({ ...emptyState(), session: { phase: "signed-in", me: aMe({ has_unread: true }) } }, true);
});
afterEach(cleanup);

const quietMe = aMe({
  quiet_hours: { on: true, from: "22:00", to: "07:00", days: ["monday"], zone: "UTC" },
  quiet_until_ms: 5_000,
});

describe("notifications", () => {
  test("d-u3: that are opened in quiet hours are read, and read again when they are opened again", async () => {
    update((s) => ({ ...s, session: { phase: "signed-in", me: quietMe } }));
    await show([notice(1)]);
    expect(asked("notifications.read")).not.toHaveLength(0);
    server({ "notifications.page": page([notice(2), notice(1)], { has_unread: false, seq: 12 }) });
    cleanup();
    render(<NotificationList />);
    await vi.waitFor(() => expect(places()).toEqual(["2", "1"]));
  });

  test("have a heading for each day, inside the first item of that day", async () => {
    const noon = new Date().setHours(12, 0, 0, 0);
    const days = (ago: number): number => new Date(noon).setDate(new Date(noon).getDate() - ago);
    await show([
      notice(4, { post_id: 104, created_at_ms: days(0) }),
      notice(3, { post_id: 103, created_at_ms: days(0) - 1 }),
      notice(2, { post_id: 102, created_at_ms: days(1) }),
      notice(1, { post_id: 101, created_at_ms: new Date(2025, 0, 5).getTime() }),
    ]);
    const heads = items().map(
      (item) => within(item).queryByRole("heading", { level: 2 })?.textContent ?? null,
    );
    expect(heads).toEqual(["Today", null, "Yesterday", "05/Jan/25"]);
  });

  test("d-u8: of a post with a content note quote only the note, once above all of them", async () => {
    const noted = { content_note: "Grief, a funeral", post_text: null, comment_text: null };
    await show([notice(2, noted), notice(1, noted)]);
    expect(screen.getAllByText("Grief, a funeral")).toHaveLength(1);
    expect(items()[0]?.textContent).toContain("Content note: Grief, a funeral");
    expect(items()[0]?.textContent).toContain("Ben commented on your post");
  });

  test("d-u8: are read again when a post gets a content note, and lose their texts", async () => {
    await show([notice(2), notice(1, { post_id: 200 })]);
    const noted = { content_note: "Grief", post_text: null, comment_text: null, unread: false };
    server({
      "notifications.page": page([notice(2, noted), notice(1, { post_id: 200, unread: false })], {
        has_unread: false,
        seq: 13,
      }),
    });
    act(() => update((s) => apply(s, anEdit(12, { content_note: "Grief" }))));
    await vi.waitFor(() => expect(screen.queryByText("so said 2")).toBe(null));
    expect(items()[0]?.textContent).toContain("Content note: Grief");
    expect(screen.getByText("so said 1")).toBeTruthy();
    act(() => update((s) => apply(s, anEdit(14, { content_note: "Grief" }))));
    expect(asked("notifications.page")).toHaveLength(2);
  });

  test("of a group that the viewer left keep their line, but lose their text and link", async () => {
    await show([notice(2, { post_id: 55 }), notice(1)]);
    const bare = {
      post_id: null,
      comment_id: null,
      comment_text: null,
      post_text: null,
      content_note: null,
    };
    server({
      "notifications.page": page([notice(2, { ...bare, unread: false }), notice(1, { unread: false })], {
        has_unread: false,
        seq: 13,
      }),
    });
    act(() =>
      update((s) =>
        apply(s, { ev: "groups.left", seq: 12, group_id: 50, user_id: ANA.id, members_count: 1 }),
      ),
    );
    await vi.waitFor(() => expect(screen.queryByText("so said 2")).toBe(null));
    const [lost, kept] = items();
    expect(lost?.textContent).toContain("Ben commented on your post");
    expect(within(lost as HTMLElement).queryByRole("link", { name: "View Post" })).toBe(null);
    expect(within(lost as HTMLElement).getByRole("button", { name: "Delete" })).toBeTruthy();
    expect(kept?.textContent).toContain("so said 1");
    expect(asked("notifications.page")).toHaveLength(2);
  });

  test("d-x3: of comments on one post stand together under one quote, where the newest of them belongs", async () => {
    const week = 7 * 86_400_000;
    await show([
      notice(5),
      follow(4),
      notice(3, { post_id: 200, post_text: "A door in Leeds." }),
      notice(2, { kind: "reply" }),
      notice(1, { created_at_ms: Date.now() - week }),
    ]);
    expect(places()).toEqual(["5", "1", "4", "3", "2"]);
    // The quote is in the first item. A reply has its own.
    expect(items().map((item) => /The kettle is on\.|A door in Leeds\./.exec(item.textContent)?.[0])).toEqual(
      ["The kettle is on.", undefined, undefined, "A door in Leeds.", "The kettle is on."],
    );
    expect(screen.getAllByRole("heading", { level: 2 })).toHaveLength(1);
    const [, second] = items();
    expect(second?.textContent).toContain("Ben commented on your post");
    expect(within(second as HTMLElement).getByRole("link", { name: "View Post" })).toBeTruthy();
    expect(within(second as HTMLElement).getByRole("button", { name: "Delete" })).toBeTruthy();
  });

  test("d-x3: that arrive join the comments at the top, and never move what is listed", async () => {
    await show([notice(2), notice(1, { post_id: 200, post_text: "A door in Leeds." })]);
    const arrives = (notification: Notification) =>
      act(() =>
        update((s) =>
          apply(s, { ev: "notifications.created", seq: 10 + notification.id, notification, users: [] }),
        ),
      );
    arrives(notice(3));
    expect(places()).toEqual(["3", "2", "1"]);
    expect(screen.getAllByText("The kettle is on.")).toHaveLength(1);
    arrives(notice(4, { post_id: 200, post_text: "A door in Leeds." }));
    expect(places()).toEqual(["4", "3", "2", "1"]);
    expect(screen.getAllByText("A door in Leeds.")).toHaveLength(2);
    // The next time they are opened, they stand together.
    cleanup();
    act(() => update(dropNotifications));
    await show([4, 3, 2, 1].map((id) => notice(id, { post_id: id === 4 || id === 1 ? 200 : 100 })));
    expect(places()).toEqual(["4", "1", "3", "2"]);
  });

  test("say who did what, with the text and a link", async () => {
    await show([follow(3), notice(2, { kind: "reply" }), notice(1)]);
    const [followed, replied, commented] = items();
    expect(commented?.textContent).toContain("Ben commented on your post");
    expect(commented?.textContent).toContain("so said 1");
    expect(commented?.textContent).toContain("The kettle is on.");
    expect(replied?.textContent).toContain("Ben replied to you");
    expect(followed?.textContent).toContain("Zoë 🌿 started following you");
    const remove = within(replied as HTMLElement).getByRole("button", { name: "Delete" });
    const about = (remove.getAttribute("aria-describedby") ?? "").split(" ");
    expect(about.map((id) => document.getElementById(id)?.textContent)).toEqual([
      "Ben replied to you",
      "so said 2",
    ]);
    expect(
      within(commented as HTMLElement)
        .getByRole("link", { name: "View Post" })
        .getAttribute("href"),
    ).toBe("/post/100");
    expect(within(followed as HTMLElement).queryByRole("link", { name: "View Post" })).toBe(null);
    expect(
      within(followed as HTMLElement)
        .getByRole("link", { name: "Zoë 🌿" })
        .getAttribute("href"),
    ).toBe("/profile/3");
    expect(screen.getByText("You're all caught up.")).toBeTruthy();
  });

  test("are marked as seen once when they are opened, and new ones look new during this visit", async () => {
    await show([notice(2), notice(1, { unread: false })]);
    await vi.waitFor(() => expect(store.getState().notifications.looks).toBe(0));
    expect(hasDot(store.getState())).toBe(false);
    expect(asked("notifications.read")).toHaveLength(1);
    expect(items().map((item) => item.hasAttribute("data-new"))).toEqual([true, false]);
  });

  test("show a sentence if there are none", async () => {
    await show([], { "notifications.page": page([], { has_unread: false }) });
    expect(screen.getByRole("heading", { name: "All quiet." })).toBeTruthy();
    expect(screen.getByText("Replies, comments and new followers will show up here.")).toBeTruthy();
    act(() =>
      update((s) =>
        apply(s, { ev: "notifications.created", seq: 12, notification: follow(1), users: [ZOE] }),
      ),
    );
    expect(items()).toHaveLength(1);
  });

  test("show a new one at the top while they are open, and remove a deleted one", async () => {
    await show([notice(1)]);
    act(() =>
      update((s) =>
        apply(s, { ev: "notifications.created", seq: 12, notification: follow(2), users: [ZOE] }),
      ),
    );
    expect(items()[0]?.textContent).toContain("started following you");
    act(() =>
      update((s) =>
        apply(s, { ev: "notifications.deleted", seq: 13, notification_ids: [1], has_unread: true }),
      ),
    );
    expect(items()).toHaveLength(1);
  });

  test("show a changed name at once", async () => {
    await show([notice(1)]);
    act(() => update((s) => apply(s, { ev: "users.changed", seq: 12, user: { ...BEN, name: "Benno" } })));
    expect(items()[0]?.textContent).toContain("Benno commented on your post");
  });

  test("show an error if they cannot be read, and can be read again", async () => {
    ask.mockRejectedValue(new RefusedError("timeout", "That took too long.", null, 0));
    render(<NotificationList />);
    const again = await screen.findByRole("button", { name: "Try again" });
    expect(screen.queryByText("All quiet.")).toBe(null);
    server({ "notifications.page": page([notice(1)]) });
    fireEvent.click(again);
    expect(await screen.findByText("You're all caught up.")).toBeTruthy();
  });

  test("load the next page by themselves when all listed ones are deleted", async () => {
    await show([], {
      "notifications.page": ({ before }) =>
        (before === null ? page([notice(3), notice(2)], { older: 2 }) : page([follow(1)]))(),
    });
    act(() =>
      update((s) =>
        apply(s, { ev: "notifications.deleted", seq: 12, notification_ids: [3, 2], has_unread: false }),
      ),
    );
    expect(await screen.findByText("You're all caught up.")).toBeTruthy();
    expect(items()).toHaveLength(1);
    expect(
      asked("notifications.page").map(([, fields]) => (fields as { before: number | null }).before),
    ).toEqual([null, 2]);
  });

  test("show older ones after a press, and then an end", async () => {
    await show([notice(2)], {
      "notifications.page": ({ before }) =>
        before === null ? page([notice(2)], { older: 2 })() : page([notice(1)])(),
    });
    expect(screen.queryByText("You're all caught up.")).toBe(null);
    fireEvent.click(screen.getByRole("button", { name: "Show older" }));
    expect(await screen.findByText("You're all caught up.")).toBeTruthy();
    expect(items()).toHaveLength(2);
  });

  test("have the focus on the first older one after the press, or stay if all of them joined others", async () => {
    await show([notice(5), follow(4)], {
      "notifications.page": ({ before }) =>
        before === null
          ? page([notice(5), follow(4)], { older: 4 })()
          : before === 4
            ? page([notice(3)], { older: 3 })()
            : page([notice(2), notice(1, { kind: "reply" })])(),
    });
    const more = () => {
      // A browser takes the focus from a button that is disabled.
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      fireEvent.click(screen.getByRole("button", { name: "Show older" }));
    };
    more();
    await vi.waitFor(() => expect(places()).toEqual(["5", "3", "4"]));
    await vi.waitFor(() => expect(items()[2]?.contains(document.activeElement)).toBe(true));
    more();
    await vi.waitFor(() => expect(places()).toEqual(["5", "3", "2", "4", "1"]));
    await vi.waitFor(() => expect(items()[4]?.contains(document.activeElement)).toBe(true));
  });
});

describe("deleting a notification", () => {
  test("removes it at once and moves the focus to its neighbour", async () => {
    await show([notice(3), notice(2), notice(1)], {
      "notifications.delete": () => new Promise(() => undefined),
    });
    deletes()[1]?.focus();
    fireEvent.click(deletes()[1] as HTMLElement);
    expect(places()).toEqual(["3", "1"]);
    await vi.waitFor(() => expect(document.activeElement).toBe(deletes()[1]));
    fireEvent.click(deletes()[1] as HTMLElement);
    await vi.waitFor(() => expect(document.activeElement).toBe(deletes()[0]));
    fireEvent.click(deletes()[0] as HTMLElement);
    await vi.waitFor(() => expect(document.activeElement?.textContent).toContain("All quiet."));
  });

  test("shows it again with the reason if the server refuses", async () => {
    await show([notice(2), notice(1)], {
      "notifications.delete": () => {
        throw new RefusedError("slow_down", "Please wait a little.", null, 60_000);
      },
    });
    fireEvent.click(deletes()[0] as HTMLElement);
    expect(await screen.findByText("Please wait a little.")).toBeTruthy();
    expect(items()[0]?.textContent).toContain("Please wait a little.");
    expect(items()).toHaveLength(2);
  });

  test("succeeds if it was deleted already", async () => {
    await show([notice(1)], {
      "notifications.delete": () => {
        throw new RefusedError("not_found", "Gone.");
      },
    });
    fireEvent.click(deletes()[0] as HTMLElement);
    expect(await screen.findByText("All quiet.")).toBeTruthy();
  });
});

describe("opening the notifications", () => {
  test("reads the page before it marks all as seen, and clears the dot at once", () => {
    ask.mockReturnValue(new Promise(() => undefined));
    openNotifications();
    openNotifications();
    expect(ask.mock.calls.map(([op]) => op)).toEqual(["notifications.page", "notifications.read"]);
    expect(hasDot(store.getState())).toBe(false);
  });

  test("shows the dot again if marking was refused", async () => {
    server({
      "notifications.page": page([notice(1)]),
      "notifications.read": () => {
        throw new RefusedError("slow_down", "Please wait a little.", null, 60_000);
      },
    });
    openNotifications();
    await vi.waitFor(() => expect(hasDot(store.getState())).toBe(true));
  });

  test("marks one that arrives while the page is open only after some activity", async () => {
    await show([notice(1)]);
    act(() =>
      update((s) =>
        apply(s, { ev: "notifications.created", seq: 12, notification: follow(2), users: [ZOE] }),
      ),
    );
    expect(hasDot(store.getState())).toBe(true);
    vi.spyOn(Element.prototype, "getBoundingClientRect").mockReturnValue({ top: 10, bottom: 90 } as DOMRect);
    fireEvent.keyDown(document.body, { key: "ArrowDown" });
    expect(hasDot(store.getState())).toBe(false);
  });
});
