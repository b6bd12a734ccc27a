import { beforeEach, expect, test } from "vitest";
import { navigate } from "wouter/use-browser-location";
import { ScrollPositions, stepOf } from "./scrollPositions";

beforeEach(() => {
  sessionStorage.clear();
  history.replaceState(null, "", "/");
});

const scrolledTo = (y: number): void => {
  Object.defineProperty(window, "scrollY", { value: y, configurable: true });
  dispatchEvent(new Event("scroll"));
};

test("a new page starts at its top, and Back restores the scroll position", () => {
  const places = new ScrollPositions();
  const stop = places.start();
  expect(places.arrive().y).toBe(0);
  const feed: unknown = history.state;
  scrolledTo(900);
  history.pushState(null, "", "/post/7");
  expect(places.arrive()).toEqual({ y: 0, back: false });
  scrolledTo(0);
  // Back: the browser restores the state of the entry.
  history.replaceState(feed, "", "/");
  expect(places.arrive()).toEqual({ y: 900, back: true });
  stop();
});

test("Back returns the item of a list that had the focus, unless the focus left the list", () => {
  const places = new ScrollPositions();
  const stop = places.start();
  const [main, item] = [document.createElement("main"), document.createElement("div")];
  const [top, post] = [document.createElement("button"), document.createElement("button")];
  item.dataset["item"] = "7";
  item.append(post);
  main.append(top, item);
  document.body.append(main);
  places.arrive();
  const feed: unknown = history.state;
  const openAndReturn = () => {
    history.pushState(null, "", "/post/7");
    expect(places.arrive().item).toBeUndefined();
    history.replaceState(feed, "", "/");
    return places.arrive().item;
  };
  post.focus();
  expect(openAndReturn()).toBe("7");
  top.focus();
  expect(openAndReturn()).toBeUndefined();
  main.remove();
  stop();
});

test("pages are numbered in the order they were opened; a page that replaces another gets its number", () => {
  const stop = new ScrollPositions().start();
  const first = stepOf(history.state) ?? NaN;
  navigate("/post/7");
  expect(stepOf(history.state)).toBe(first + 1);
  navigate("/post/8", { replace: true });
  expect(stepOf(history.state)).toBe(first + 1);
  // Back, and then to another page.
  history.replaceState({ step: first }, "", "/");
  dispatchEvent(new PopStateEvent("popstate", { state: { step: first } }));
  navigate("/search");
  expect(stepOf(history.state)).toBe(first + 1);
  stop();
});

test("a reload restores the scroll position", () => {
  const before = new ScrollPositions();
  const stop = before.start();
  before.arrive();
  scrolledTo(640);
  dispatchEvent(new Event("pagehide"));
  stop();
  expect(new ScrollPositions().arrive()).toEqual({ y: 640, back: true });
});
