import { beforeEach, expect, test } from "vitest";
import { Places } from "./places";

beforeEach(() => {
  sessionStorage.clear();
  history.replaceState(null, "", "/");
});

const scrolledTo = (y: number): void => {
  Object.defineProperty(window, "scrollY", { value: y, configurable: true });
  dispatchEvent(new Event("scroll"));
};

test("a new page starts at its top, and one that was left half-way is found half-way", () => {
  const places = new Places();
  const stop = places.start();
  expect(places.arrive().y).toBe(0);
  const feed: unknown = history.state;
  scrolledTo(900);
  history.pushState(null, "", "/post/7");
  expect(places.arrive()).toEqual({ y: 0, back: false });
  scrolledTo(0);
  // Back: the browser hands out the state that the entry was left with.
  history.replaceState(feed, "", "/");
  expect(places.arrive()).toEqual({ y: 900, back: true });
  stop();
});

test("a reload comes back to where the page was", () => {
  const before = new Places();
  const stop = before.start();
  before.arrive();
  scrolledTo(640);
  dispatchEvent(new Event("pagehide"));
  stop();
  expect(new Places().arrive()).toEqual({ y: 640, back: true });
});
