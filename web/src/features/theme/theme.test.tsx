import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { apply } from "../../engine/apply";
import { emptyState } from "../../engine/feature";
import { store, update } from "../../engine/store";
import { aMe, aTheme } from "../../testing/fixtures";
import { themeKnown } from "./state";
import { ThemeCard } from "./ThemeCard";
import { GuestTheme } from "./Today";
import { forgetVisit } from "./useTheme";

const ask = vi.hoisted(() => vi.fn());
vi.mock("../../engine/client", () => ({ ask }));

let sights: { leave(): void }[];

function page(theme: object | null): void {
  document.head.querySelector('meta[name="mellow:theme"]')?.remove();
  if (theme === null) return;
  const meta = Object.assign(document.createElement("meta"), {
    name: "mellow:theme",
    content: JSON.stringify(theme),
  });
  document.head.append(meta);
}

beforeEach(() => {
  ask.mockReset();
  localStorage.clear();
  forgetVisit();
  page(null);
  history.replaceState(null, "", "/");
  sights = [];
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      constructor(callback: (seen: { isIntersecting: boolean }[]) => void) {
        sights.push({ leave: () => callback([{ isIntersecting: false }]) });
      }
      observe(): void {}
      disconnect(): void {}
    },
  );
  vi.spyOn(CSS, "supports").mockReturnValue(true);
  const start = {
    ...emptyState(),
    session: { phase: "signed-in" as const, me: aMe() },
    connection: { state: "live" as const, since: 1 },
  };
  store.setState(themeKnown(start, aTheme(), 10), true);
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const card = () => screen.getByRole("region", { name: "Today's Theme" });
const toggle = () => within(card()).getByRole("button", { name: "Today's Theme" });
const title = () => within(card()).queryByRole("heading")?.textContent;
const publish = (theme: ReturnType<typeof aTheme> | null, seq = 11) =>
  act(() => update((s) => apply(s, { ev: "theme.changed", seq, theme })));

describe("today's theme", () => {
  test("shows its text, a link that filters the feed, and a link to write about it", () => {
    history.replaceState(null, "", "/?tab=your-space");
    render(<ThemeCard />);
    expect(title()).toBe("Small joys");
    expect(within(card()).getByText("What made you smile?")).toBeTruthy();
    expect(within(card()).getByRole("link", { name: "Share Your Take" }).getAttribute("href")).toBe(
      "/create-post?tag=smalljoys",
    );
    fireEvent.click(within(card()).getByRole("button", { name: "#smalljoys" }));
    expect(location.search).toBe("?tab=your-space&tag=smalljoys");
  });

  test("starts open on the first visit of a day, and closed after that", () => {
    render(<ThemeCard />);
    expect(toggle().getAttribute("aria-expanded")).toBe("true");
    cleanup();
    // Another page of Mellow and Back belong to the same visit.
    render(<ThemeCard />);
    expect(toggle().getAttribute("aria-expanded")).toBe("true");
    cleanup();
    forgetVisit();
    render(<ThemeCard />);
    expect(toggle().getAttribute("aria-expanded")).toBe("false");
    expect(title()).toBe(undefined);
    fireEvent.click(toggle());
    cleanup();
    forgetVisit();
    render(<ThemeCard />);
    expect(toggle().getAttribute("aria-expanded")).toBe("true");
    cleanup();
    forgetVisit();
    update((s) => themeKnown(s, aTheme({ day: "2026-11-22", title: "Light" }), 12));
    render(<ThemeCard />);
    expect(title()).toBe("Light");
  });

  test("has no card if there is none", () => {
    update((s) => themeKnown(s, null, 11));
    render(<ThemeCard />);
    expect(screen.queryByRole("region")).toBe(null);
  });

  test("is not replaced while it is read, but when the user returns to the tab", () => {
    render(<ThemeCard />);
    publish(aTheme({ day: "2026-11-22", title: "Evening light" }));
    expect(title()).toBe("Small joys");
    act(() => void dispatchEvent(new Event("focus")));
    expect(title()).toBe("Evening light");
    publish(null, 12);
    expect(title()).toBe("Evening light");
    act(() => void document.dispatchEvent(new Event("visibilitychange")));
    expect(screen.queryByRole("region")).toBe(null);
  });

  test("is replaced while the card is out of sight", () => {
    render(<ThemeCard />);
    publish(aTheme({ day: "2026-11-22", title: "Evening light" }));
    act(() => sights.at(-1)?.leave());
    expect(title()).toBe("Evening light");
  });

  test("is requested while it is unknown, and the content below waits for the first reply", async () => {
    store.setState({ ...store.getState(), theme: { now: null, at: 0 } }, true);
    let answer: (ok: object) => void = () => undefined;
    ask.mockReturnValue(new Promise((resolve) => (answer = resolve)));
    const { container } = render(<ThemeCard />);
    expect(container.querySelector("[data-waits]")).not.toBe(null);
    expect(ask).toHaveBeenCalledWith("theme.get", {});
    answer({ theme: aTheme(), seq: 10 });
    expect(await screen.findByRole("heading", { name: "Small joys" })).toBeTruthy();
    expect(container.querySelector("[data-waits]")).toBe(null);
  });

  test("does not delay the content below if it cannot be read", async () => {
    store.setState({ ...store.getState(), theme: { now: null, at: 0 } }, true);
    ask.mockRejectedValue(new Error("No."));
    const { container } = render(<ThemeCard />);
    await vi.waitFor(() => expect(container.childNodes).toHaveLength(0));
  });

  test("is shown at once if the page contains it", () => {
    page(aTheme({ title: "From the page" }));
    store.setState({ ...store.getState(), theme: { now: null, at: 0 } }, true);
    ask.mockReturnValue(new Promise(() => undefined));
    render(<ThemeCard />);
    expect(title()).toBe("From the page");
  });

  test("is always open for guests, with a link to sign up and no button", () => {
    page(aTheme());
    render(<GuestTheme />);
    expect(title()).toBe("Small joys");
    expect(within(card()).getByText("#smalljoys").closest("a,button")).toBe(null);
    expect(within(card()).getByRole("link", { name: "Join to Participate" }).getAttribute("href")).toBe(
      "/signup",
    );
    expect(within(card()).queryByRole("button")).toBe(null);
  });

  test("has no card for guests if the page contains none or something else", () => {
    render(<GuestTheme />);
    expect(screen.queryByRole("region")).toBe(null);
    cleanup();
    page({ title: 3 });
    render(<GuestTheme />);
    expect(screen.queryByRole("region")).toBe(null);
  });
});
