import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { emptyState } from "../../engine/feature";
import { store } from "../../engine/store";
import { aDay, aMe } from "../../testing/fixtures";
import { themeKnown } from "../../features/theme/state";
import { Navigation } from "../Navigation";
import HomeScreen from "./HomeScreen";

const ask = vi.hoisted(() => vi.fn());
vi.mock("../../engine/client", () => ({
  ask,
  client: { onScreen: () => () => undefined, tidy: () => undefined },
}));

const answers: Record<string, object> = {
  "posts.feed": { posts: [], users: [], groups: [], older: null, follows_anyone: true, seq: 10 },
  "moods.today": { mine: aDay({ slot_ends_at_ms: Date.now() + 1e7 }), moods: [], users: [], seq: 10 },
  "invites.list": { invites: [], may_create: true, seq: 10 },
  "polls.list": { polls: [], users: [], groups: [], older: null, seq: 10 },
};

beforeEach(() => {
  ask.mockReset();
  ask.mockImplementation(async (op: string) => answers[op]);
  const start = {
    ...emptyState(),
    session: { phase: "signed-in" as const, me: aMe() },
    connection: { state: "live" as const, since: 1 },
  };
  store.setState(themeKnown(start, null, 10), true);
  vi.stubGlobal("scrollTo", () => undefined);
  vi.stubGlobal("innerWidth", 400);
});
afterEach(() => {
  cleanup();
  document.documentElement.removeAttribute("dir");
  vi.unstubAllGlobals();
});

const at = (address: string) => {
  history.replaceState(null, "", address);
  render(
    <>
      <HomeScreen />
      <Navigation />
    </>,
  );
};
const tab = (name: string) =>
  within(screen.getByRole("tablist", { name: "Home" })).getByRole("tab", { name });
const chosen = () => screen.getAllByRole("tab", { selected: true }).map((one) => one.textContent);
const title = () => screen.getByRole("heading", { level: 1 }).textContent;

function drag(
  from: [number, number],
  to: [number, number],
  on: Element = screen.getByRole("tabpanel"),
): void {
  const finger = ([clientX, clientY]: [number, number]) => ({ clientX, clientY, identifier: 1, target: on });
  fireEvent.touchStart(on, { touches: [finger(from)], changedTouches: [finger(from)] });
  fireEvent.touchEnd(on, { touches: [], changedTouches: [finger(to)] });
}

describe("a newcomer's posts", () => {
  test("are requested while the first steps still load, and are shown below them", async () => {
    const first_steps = { has_photo: false, has_followed: true, has_invited: false, has_answered: false };
    store.setState({ session: { phase: "signed-in", me: aMe({ first_steps }) } });
    at("/");
    expect(screen.queryByRole("region", { name: "Getting started" })).toBeNull();
    expect(ask.mock.calls.map(([op]) => op as string)).toContain("posts.feed");
    expect(screen.getAllByText("Loading posts")).toHaveLength(1);
    expect(screen.queryByText("Nothing new.")).toBeNull();
    await screen.findByRole("region", { name: "Getting started" });
    expect(await screen.findByText("Nothing new.")).toBeTruthy();
    expect(ask.mock.calls.filter(([op]) => op === "posts.feed")).toHaveLength(1);
  });
});

describe("home's two tabs", () => {
  test("a press on a tab opens it and puts it into the address", async () => {
    at("/");
    expect([chosen(), title()]).toEqual([["Your Space"], "Your Space"]);
    const before = history.length;
    fireEvent.click(tab("Community Center"));
    expect(location.search).toBe("?tab=community-center");
    expect(history.length).toBe(before + 1);
    expect([chosen(), title()]).toEqual([["Community Center"], "Community Center"]);
    expect(await screen.findByRole("region", { name: "Community Polls" })).toBeTruthy();
    expect(
      within(screen.getByRole("region", { name: "Daily Huddle" })).getByText("Coming soon"),
    ).toBeTruthy();
    expect(screen.getAllByRole("region", { name: "Vibe Check" })).toHaveLength(1);
    fireEvent.click(tab("Your Space"));
    expect(location.search).toBe("?tab=your-space");
    expect(await screen.findByRole("region", { name: "Vibe Check" })).toBeTruthy();
  });

  test("the address says which tab opens; an unknown name opens Your Space", () => {
    at("/?tab=community-center");
    expect(title()).toBe("Community Center");
    cleanup();
    at("/?tab=elsewhere");
    expect(title()).toBe("Your Space");
  });

  test("d-b7: the tag stays in the address and filters only Your Space", () => {
    at("/?tag=tea");
    expect(screen.getByRole("region", { name: "Tag filter" })).toBeTruthy();
    fireEvent.click(tab("Community Center"));
    expect(location.search).toBe("?tag=tea&tab=community-center");
    expect(screen.queryByRole("region", { name: "Tag filter" })).toBe(null);
    fireEvent.click(tab("Your Space"));
    expect(screen.getByRole("region", { name: "Tag filter" })).toBeTruthy();
  });

  test("arrow keys go from tab to tab, and Tab stops at the chosen one", () => {
    at("/");
    tab("Your Space").focus();
    fireEvent.keyDown(tab("Your Space"), { key: "ArrowRight" });
    expect(document.activeElement).toBe(tab("Community Center"));
    expect(chosen()).toEqual(["Community Center"]);
    expect([tab("Your Space").tabIndex, tab("Community Center").tabIndex]).toEqual([-1, 0]);
    fireEvent.keyDown(tab("Community Center"), { key: "Home" });
    expect(chosen()).toEqual(["Your Space"]);
  });

  test("Home in the bottom bar opens Your Space without a filter", async () => {
    at("/?tag=tea&tab=community-center");
    await act(async () => void fireEvent.click(screen.getByRole("link", { name: "Home" })));
    expect([location.search, title()]).toEqual(["", "Your Space"]);
  });
});

describe("d-b10: a swipe", () => {
  test("of more than 200 pixels to the left opens the Community Center, to the right Your Space", () => {
    at("/");
    drag([350, 100], [150, 100]);
    expect(chosen()).toEqual(["Your Space"]);
    drag([350, 100], [149, 140]);
    expect(chosen()).toEqual(["Community Center"]);
    drag([350, 100], [100, 100]);
    expect(chosen()).toEqual(["Community Center"]);
    drag([100, 100], [320, 60]);
    expect(chosen()).toEqual(["Your Space"]);
  });

  test("goes the other way in a page from right to left", () => {
    document.documentElement.dir = "rtl";
    at("/");
    drag([350, 100], [100, 100]);
    expect(chosen()).toEqual(["Your Space"]);
    drag([100, 100], [350, 100]);
    expect(chosen()).toEqual(["Community Center"]);
    drag([350, 100], [100, 100]);
    expect(chosen()).toEqual(["Your Space"]);
  });

  test("is ignored if it is steep or begins at the edge of the screen", () => {
    at("/");
    drag([350, 100], [120, 240]);
    drag([390, 100], [100, 100]);
    expect(chosen()).toEqual(["Your Space"]);
  });

  test("is ignored on pictures, in fields and with two fingers", () => {
    at("/");
    const row = document.createElement("div");
    row.append(document.createElement("i"), document.createElement("input"));
    row.dataset["sideways"] = "";
    screen.getByRole("tabpanel").append(row);
    drag([350, 100], [100, 100], row.querySelector("i") as Element);
    drag([350, 100], [100, 100], row.querySelector("input") as Element);
    const panel = screen.getByRole("tabpanel");
    const finger = { clientX: 350, clientY: 100, identifier: 1, target: panel };
    fireEvent.touchStart(panel, { touches: [finger, finger], changedTouches: [finger] });
    fireEvent.touchEnd(panel, { touches: [], changedTouches: [{ ...finger, clientX: 100 }] });
    expect(chosen()).toEqual(["Your Space"]);
  });

  test("is ignored on a dialog over the page", async () => {
    at("/?tab=community-center");
    fireEvent.click(await screen.findByRole("button", { name: "Create Poll" }));
    const beside = screen.getByRole("dialog", { name: "Create Poll" }).previousElementSibling as Element;
    drag([100, 100], [350, 100], beside);
    expect(chosen()).toEqual(["Community Center"]);
    expect(screen.getByRole("dialog", { name: "Create Poll" })).toBeTruthy();
  });
});
