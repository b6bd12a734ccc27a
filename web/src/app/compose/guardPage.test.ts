import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { aroundNav, isGuarded, leave } from "../leaveGuard";
import { ScrollPositions, stepOf } from "../scrollPositions";
import type { Leaving } from "./guardPage";
import { guardPage } from "./guardPage";

// A history like a browser's: navigation is asynchronous and sends `popstate`.
type Entry = { state: unknown; url: string };
let entries: Entry[];
let at: number;
let asked: Leaving[];
let stop: () => void;
let stopPlaces: () => void;
let popped: string[];

const here = (): string => location.pathname + location.search;
const show = (): void => history.replaceState(entries[at]?.state, "", entries[at]?.url);
/** Goes back as a browser does: the address changes first, then `popstate` is sent. */
const go = (by: number): void => {
  if (entries[at + by] === undefined) return;
  (entries[at] as Entry).state = history.state;
  at += by;
  show();
  dispatchEvent(new PopStateEvent("popstate", { state: history.state }));
};
const push = (url: string): void => {
  (entries[at] as Entry).state = history.state;
  history.pushState(null, "", url);
  entries.splice(at + 1);
  entries.push({ state: history.state, url });
  at += 1;
};
const onPop = (): void => void popped.push(here());

beforeEach(() => {
  history.replaceState(null, "", "/");
  entries = [{ state: null, url: "/" }];
  at = 0;
  asked = [];
  popped = [];
  stopPlaces = new ScrollPositions().start();
  push("/search");
  push("/create-post");
  push("/post/7");
  go(-1);
  vi.spyOn(history, "go").mockImplementation((by) => queueMicrotask(() => go(by ?? 0)));
  addEventListener("popstate", onPop);
  stop = guardPage((leaving) => asked.push(leaving));
});

afterEach(() => {
  stop();
  stopPlaces();
  removeEventListener("popstate", onPop);
});

const moment = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

describe("leaving a page with unsaved text", () => {
  test("history entries are numbered in their order", () => {
    expect(stepOf(history.state)).toBe(2);
  });

  test("by a link asks first, and then opens the link", () => {
    const navigate = vi.fn();
    aroundNav(navigate, "/search?x=1", { replace: true });
    expect(navigate).not.toHaveBeenCalled();
    expect(asked).toMatchObject([{ logsOut: false }]);
    asked[0]?.go();
    expect(navigate).toHaveBeenCalledWith("/search?x=1", { replace: true });
    expect(isGuarded()).toBe(false);
  });

  test("is not the case for a link to the same page", () => {
    const navigate = vi.fn();
    aroundNav(navigate, "/create-post?tag=tea", undefined);
    expect(navigate).toHaveBeenCalled();
    expect(asked).toEqual([]);
  });

  test("by logging out asks about the log-out", () => {
    const out = vi.fn();
    leave(out, true);
    expect(asked).toMatchObject([{ logsOut: true }]);
    expect(out).not.toHaveBeenCalled();
  });

  for (const [way, by, to] of [
    ["Back", -1, "/search"],
    ["Forward", 1, "/post/7"],
    ["Back by two", -2, "/"],
  ] as const)
    test(`by ${way} is stopped, and repeated once confirmed`, async () => {
      go(by);
      expect(asked).toEqual([]);
      await moment();
      expect(here()).toBe("/create-post");
      expect(at).toBe(2);
      expect(asked).toHaveLength(1);
      // No other listener on the page received it.
      expect(popped).toEqual([]);
      asked[0]?.go();
      await moment();
      expect(here()).toBe(to);
      expect(popped).toEqual([to]);
    });

  test("does not happen by a second Back while the first is being asked about", async () => {
    go(-1);
    await moment();
    go(-1);
    await moment();
    expect(here()).toBe("/create-post");
    expect(asked).toHaveLength(2);
  });

  test("is not the case between two addresses of the same page, and Back still asks later", async () => {
    push("/create-post?tag=tea");
    go(-1);
    expect(popped).toEqual(["/create-post"]);
    go(1);
    expect(here()).toBe("/create-post?tag=tea");
    expect(asked).toEqual([]);
    go(-2);
    await moment();
    expect(here()).toBe("/create-post?tag=tea");
    expect(asked).toHaveLength(1);
  });

  test("is possible if the position in the history is wrong, instead of looping", async () => {
    vi.useFakeTimers();
    (entries[1] as Entry).state = { step: 40 };
    go(-1);
    await vi.advanceTimersByTimeAsync(2_000);
    vi.useRealTimers();
    expect(asked).toEqual([]);
    expect(isGuarded()).toBe(false);
    expect(popped).toEqual(["/search"]);
  });

  test("by closing the tab makes the browser ask", () => {
    const close = (): boolean => dispatchEvent(new Event("beforeunload", { cancelable: true }));
    expect(close()).toBe(false);
    stop();
    expect(close()).toBe(true);
  });

  test("does not ask once the guard is removed", () => {
    stop();
    go(-1);
    expect(here()).toBe("/search");
    expect(popped).toEqual(["/search"]);
  });
});
