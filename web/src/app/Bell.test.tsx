import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { apply } from "../engine/apply";
import { emptyState } from "../engine/feature";
import { store, update } from "../engine/store";
import { BEN, aMe } from "../testing/fixtures";
import { onAnnounce } from "../ui/announce";
import { Bell } from "./Bell";

const ask = vi.hoisted(() => vi.fn());
vi.mock("../engine/client", () => ({
  ask,
  client: { onScreen: () => () => undefined, tidy: () => undefined },
}));

const announced: string[] = [];
onAnnounce("polite", ({ text }) => announced.push(text));

const follows = (seq: number) =>
  act(() =>
    update((s) =>
      apply(s, {
        ev: "notifications.created",
        seq,
        notification: {
          id: seq,
          kind: "follow",
          actor_id: BEN.id,
          post_id: null,
          comment_id: null,
          comment_text: null,
          post_text: null,
          content_note: null,
          created_at_ms: 1,
          unread: true,
        },
        users: [BEN],
      }),
    ),
  );
const sees = (seq: number) => act(() => update((s) => apply(s, { ev: "notifications.seen", seq })));

beforeEach(() => {
  ask.mockReset();
  ask.mockReturnValue(new Promise(() => undefined));
  announced.length = 0;
  history.replaceState(null, "", "/");
  store.setState({ ...emptyState(), session: { phase: "signed-in", me: aMe() } }, true);
});
afterEach(cleanup);

test("the bell's label says whether something is new, and gives no count", () => {
  render(<Bell />);
  expect(screen.getByRole("link", { name: "Notifications" }).getAttribute("href")).toBe("/notifications");
  follows(5);
  expect(screen.getByRole("link", { name: "Notifications, new" })).toBeTruthy();
  sees(6);
  expect(screen.getByRole("link", { name: "Notifications" })).toBeTruthy();
});

test("new notifications are announced once until the user opens them", () => {
  render(<Bell />);
  follows(5);
  follows(6);
  expect(announced).toEqual(["New notification"]);
  sees(7);
  follows(8);
  expect(announced).toEqual(["New notification", "New notification"]);
});

test("a notification from before the page was loaded shows the dot and is not announced", () => {
  update((s) => ({ ...s, session: { ...s.session, me: aMe({ has_unread: true }) } }));
  render(<Bell />);
  expect(screen.getByRole("link", { name: "Notifications, new" })).toBeTruthy();
  expect(announced).toEqual([]);
});

test("a press clears the dot at once, reads the notifications and then marks them as seen", () => {
  update((s) => ({ ...s, session: { ...s.session, me: aMe({ has_unread: true }) } }));
  render(<Bell />);
  fireEvent.click(screen.getByRole("link", { name: "Notifications, new" }));
  expect(screen.getByRole("link", { name: "Notifications" })).toBeTruthy();
  expect(ask.mock.calls.map(([op]) => op)).toEqual(["notifications.page", "notifications.read"]);
  expect(location.pathname).toBe("/notifications");
});

test("on the page of the notifications a press scrolls to the top and adds no history entry", () => {
  history.replaceState(null, "", "/notifications");
  render(<Bell />);
  const link = screen.getByRole("link", { name: "Notifications" });
  expect(link.getAttribute("aria-current")).toBe("page");
  const steps = history.length;
  fireEvent.click(link);
  expect(history.length).toBe(steps);
});
