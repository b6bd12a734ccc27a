import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { apply } from "../engine/apply";
import { store, update } from "../engine/store";
import { pendComment } from "../features/shared/pending";
import { aView, anasFeed } from "../testing/fixtures";
import { keepBelow } from "./keepBelow";

const scrolled = vi.fn();
let [card, stop] = [document.createElement("article"), () => undefined as void];

/** Gives the card this height. */
const isHigh = (height: number): void => {
  card.getBoundingClientRect = () => ({ bottom: 100 + height, height }) as DOMRect;
};

/** Renders the change, with which the card has this height. */
const draws = async (height: number): Promise<void> => {
  isHigh(height);
  await isRendered();
};
const isRendered = () => new Promise((resolve) => setTimeout(resolve));

beforeEach(() => {
  scrolled.mockReset();
  vi.stubGlobal("scrollBy", scrolled);
  card = document.createElement("article");
  card.dataset["post"] = "100";
  card.dataset["place"] = "card";
  isHigh(200);
  document.body.append(card);
  store.setState(anasFeed([aView(100)]), true);
  stop = keepBelow();
});
afterEach(() => {
  stop();
  card.remove();
  vi.unstubAllGlobals();
});

const counts = (comments_count: number) =>
  update((s) => {
    const post = s.posts[100];
    return post === undefined ? s : { ...s, posts: { ...s.posts, 100: { ...post, comments_count } } };
  });

test("the page scrolls by as much as a comment of somebody else makes a visible post higher", async () => {
  counts(1);
  await draws(260);
  expect(scrolled).toHaveBeenCalledWith({ top: 60, behavior: "instant" });
  expect(card.style.minBlockSize).toBe("");
});

test("a post that would get lower keeps its height, and so does the line of a deleted one", async () => {
  counts(1);
  await draws(180);
  expect(card.style.minBlockSize).toBe("200px");
  card.click();
  expect(card.style.minBlockSize).toBe("");
  const line = document.createElement("p");
  update((s) => apply(s, { ev: "posts.deleted", seq: 11, post_id: 100, author_id: 2 }));
  line.dataset["removed"] = "100";
  line.getBoundingClientRect = () => ({ bottom: 144, height: 44 }) as DOMRect;
  card.replaceWith(line);
  await isRendered();
  line.remove();
  expect(line.style.minBlockSize).toBe("180px");
  expect(scrolled).not.toHaveBeenCalled();
});

test("nothing scrolls for a comment of the viewer, or for a post whose end is out of sight", async () => {
  update((s) => pendComment(s, { local: 1, post_id: 100, text: "Mine.", behind: 0 }));
  counts(1);
  await draws(260);
  expect(scrolled).not.toHaveBeenCalled();
  store.setState(anasFeed([aView(100)]), true);
  isHigh(innerHeight);
  counts(1);
  await draws(innerHeight + 60);
  expect(scrolled).not.toHaveBeenCalled();
});
