import { act, cleanup, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { apply } from "../../engine/apply";
import { store, update } from "../../engine/store";
import { aPicture, aView, anasFeed } from "../../testing/fixtures";
import type { Picture } from "../../engine/types.gen";
import { TALL_MOST, WIDE_MOST, shapeOf, sizeOf, widthWithin } from "./box";
import { tabStops } from "../../ui/modal";
import { blurOf } from "./hash";
import { Pictures } from "./Pictures";

vi.mock("../../engine/client", () => ({ ask: vi.fn(), client: {} }));

const four = [aPicture(1, { alt: "A chair" }), aPicture(2), aPicture(3, { alt: "A pier" }), aPicture(4)];

async function show(pictures: Picture[]) {
  store.setState(anasFeed([aView(100, { pictures })]), true);
  const shown = render(<Pictures postId={100} />);
  if (pictures.length > 0) await screen.findByRole("button", { name: /^Open picture 1/ });
  return shown;
}

const group = () => within(screen.getByRole("group", { name: "Pictures" }));
const button = (name: string | RegExp) => group().getByRole<HTMLButtonElement>("button", { name });
const picture = (n: number) => button(new RegExp(`^Open picture ${n} of`));
const stops = () => [1, 2, 3, 4].filter((n) => picture(n).tabIndex === 0);
const image = (n: number) => within(picture(n)).getByRole<HTMLImageElement>("img");

// On a busy machine compiling the carousel takes longer than a test waits.
beforeAll(() => import("./Carousel"));
beforeEach(() => {
  Element.prototype.scrollTo = () => undefined;
});
afterEach(cleanup);

describe("the pictures of a post", () => {
  test("are a group of buttons with images, each named by its number and description", async () => {
    await show(four);
    expect(button("Open picture 1 of 4: A chair").querySelector("img")?.getAttribute("alt")).toBe("A chair");
    expect(button("Open picture 2 of 4").querySelector("img")?.getAttribute("alt")).toBe("Picture 2 of 4");
    expect(button("Open picture 3 of 4: A pier")).toBeTruthy();
    expect(group().getByText("1 / 4")).toBeTruthy();
  });

  test("are not rendered if there are none", async () => {
    await show([]);
    expect(screen.queryByRole("group")).toBe(null);
  });

  test("have no counter and no arrows if there is only one", async () => {
    await show([aPicture(1)]);
    expect(button("Open picture 1 of 1")).toBeTruthy();
    expect(group().getAllByRole("button")).toHaveLength(1);
    expect(group().queryByText(/\//)).toBe(null);
  });

  test("have buttons for the next and the previous one, and the first follows the last", async () => {
    await show(four);
    fireEvent.click(button("Next picture"));
    expect(group().getByText("2 / 4")).toBeTruthy();
    fireEvent.click(button("Previous picture"));
    fireEvent.click(button("Previous picture"));
    expect(group().getByText("4 / 4")).toBeTruthy();
    fireEvent.click(button("Next picture"));
    expect(group().getByText("1 / 4")).toBeTruthy();
  });

  test("are one stop for Tab, and arrow keys move the focus with the picture", async () => {
    await show(four);
    expect(stops()).toEqual([1]);
    picture(1).focus();
    fireEvent.keyDown(picture(1), { key: "ArrowRight" });
    expect(stops()).toEqual([2]);
    expect(document.activeElement).toBe(picture(2));
    fireEvent.keyDown(picture(2), { key: "End" });
    expect(document.activeElement).toBe(picture(4));
    button("Next picture").focus();
    fireEvent.keyDown(button("Next picture"), { key: "ArrowLeft" });
    expect(group().getByText("3 / 4")).toBeTruthy();
    expect(document.activeElement).toBe(button("Next picture"));
  });

  test("show a placeholder while they load, and a sentence if loading fails", async () => {
    await show(four);
    expect(picture(1).dataset["picture"]).toBe("waiting");
    fireEvent.load(image(1));
    expect(picture(1).dataset["picture"]).toBe("here");
    fireEvent.error(image(3));
    expect(within(picture(3)).getByText("This picture couldn't be loaded.")).toBeTruthy();
    expect(within(picture(3)).getByText("A pier")).toBeTruthy();
    expect(picture(3).getAttribute("aria-describedby")).toBeTruthy();
  });

  test("are loaded again after a failure when the connection is back", async () => {
    await show(four);
    fireEvent.error(image(3));
    expect(within(picture(3)).queryByRole("img")).toBe(null);
    act(() => update((s) => ({ ...s, connection: { state: "live", since: 0 } })));
    expect(image(3).getAttribute("src")).toBe(four[2]?.card_url);
  });

  test("offer the browser two files with their widths", async () => {
    await show([aPicture(1), aPicture(2, { width: 600, height: 400 })]);
    expect(image(1).getAttribute("srcset")).toBe(`${four[0]?.card_url} 800w, ${four[0]?.url} 1600w`);
    expect(image(2).getAttribute("srcset")).toBe(null);
    expect(image(1).getAttribute("loading")).toBe("lazy");
    expect([image(1).width, image(1).height]).toEqual([1600, 1200]);
  });

  test("are still if they are animated, until Play is pressed, and again after another one is shown", async () => {
    await show([aPicture(1, { motion_url: "/media/a.gif" }), aPicture(2, { motion_url: "/media/b.gif" })]);
    const gif = (n: number) => picture(n).querySelector('img[src$=".gif"]');
    expect(gif(1)).toBe(null);
    fireEvent.click(button("Play"));
    expect(gif(1)?.getAttribute("src")).toBe("/media/a.gif");
    fireEvent.click(button("Pause"));
    expect(gif(1)).toBe(null);
    fireEvent.click(button("Play"));
    fireEvent.click(button("Next picture"));
    expect(gif(1)).toBe(null);
    expect(gif(2)).toBe(null);
    fireEvent.click(button("Previous picture"));
    expect(gif(1)).toBe(null);
    expect(button("Play")).toBeTruthy();
  });
});

describe("the picture viewer", () => {
  const dialog = () => screen.queryByRole("dialog", { name: "Picture viewer" });
  const inside = () => within(screen.getByRole("dialog", { name: "Picture viewer" }));

  const shownImage = () => {
    const [one] = inside()
      .getAllByRole("img")
      .filter((image) => image.closest("[inert]") === null);
    if (one === undefined) throw new Error("no picture is shown");
    return one;
  };

  async function open(n: number) {
    await show(four);
    picture(n).focus();
    fireEvent.click(picture(n));
    await screen.findByRole("dialog", { name: "Picture viewer" });
  }

  test("opens with the pressed picture, and shows only that one to screen readers", async () => {
    await open(3);
    expect(inside().getByText("3 / 4")).toBeTruthy();
    expect(shownImage().getAttribute("alt")).toBe("A pier");
    expect(
      inside()
        .getAllByRole("img")
        .filter((one) => one.closest("[inert]") === null),
    ).toHaveLength(1);
    expect(inside().getByText("A pier")).toBeTruthy();
    expect(document.activeElement).toBe(shownImage());
  });

  test("changes the picture by buttons and arrow keys, and the focus stays on the picture", async () => {
    await open(3);
    fireEvent.keyDown(shownImage(), { key: "ArrowRight" });
    expect(inside().getByText("4 / 4")).toBeTruthy();
    expect(document.activeElement).toBe(shownImage());
    const next = inside().getByRole("button", { name: "Next picture" });
    next.focus();
    fireEvent.click(next);
    expect(inside().getByText("1 / 4")).toBeTruthy();
    expect(shownImage().getAttribute("alt")).toBe("A chair");
    expect(document.activeElement).toBe(next);
    expect(screen.getByRole("group", { name: "Pictures", hidden: true }).textContent).toContain("1 / 4");
  });

  test("returns the focus to the picture on the card after Escape and Close", async () => {
    await open(3);
    fireEvent.keyDown(document, { key: "Escape" });
    expect(dialog()).toBe(null);
    expect(document.activeElement).toBe(picture(3));
    fireEvent.click(picture(3));
    fireEvent.click(inside().getByRole("button", { name: "Close" }));
    expect(dialog()).toBe(null);
  });

  test("keeps name, description and focus of a picture that failed to load, and arrow keys work", async () => {
    await open(3);
    fireEvent.error(shownImage());
    const lost = shownImage();
    expect(lost.getAttribute("aria-label")).toBe("A pier");
    expect(document.activeElement).toBe(lost);
    expect(inside().getByText("A pier").hasAttribute("aria-hidden")).toBe(false);
    fireEvent.keyDown(lost, { key: "ArrowRight" });
    expect(inside().getByText("4 / 4")).toBeTruthy();
    expect(document.activeElement).toBe(shownImage());
    const again = inside().getByRole("button", { name: "Try again", hidden: true });
    expect(again.closest("[inert]")).not.toBe(null);
    expect(tabStops(screen.getByRole("dialog", { name: "Picture viewer" }))).not.toContain(again);
    fireEvent.keyDown(shownImage(), { key: "ArrowLeft" });
    expect(document.activeElement).toBe(lost);
    again.focus();
    fireEvent.click(again);
    expect(shownImage().getAttribute("alt")).toBe("A pier");
    expect(document.activeElement).toBe(shownImage());
  });

  test("has no controls for a single picture", async () => {
    await show([aPicture(1, { alt: "A chair" })]);
    fireEvent.click(picture(1));
    await screen.findByRole("dialog", { name: "Picture viewer" });
    expect(
      inside()
        .getAllByRole("button")
        .map((one) => one.textContent),
    ).toEqual(["Close"]);
    expect(inside().queryByText(/\//)).toBe(null);
  });

  test("closes when the post is deleted", async () => {
    await open(2);
    act(() => update((s) => apply(s, { ev: "posts.deleted", seq: 11, post_id: 100, author_id: 2 })));
    await waitFor(() => expect(dialog()).toBe(null));
    expect(document.documentElement.hasAttribute("data-viewer")).toBe(false);
    expect(document.documentElement.dataset["modal"]).toBeUndefined();
  });
});

describe("a picture of a post", () => {
  test("has its own shape, within limits", () => {
    expect(shapeOf({ width: 1600, height: 1200 })).toBeCloseTo(4 / 3, 2);
    expect(shapeOf({ width: 900, height: 1_950 })).toBeCloseTo(6 / 13, 2);
    expect(shapeOf({ width: 100, height: 4_000 })).toBe(TALL_MOST);
    expect(shapeOf({ width: 4_000, height: 100 })).toBe(WIDE_MOST);
    expect(shapeOf({ width: 0, height: 0 })).toBe(1);
  });

  test("takes as much room among others as the least wide and the highest of them need", () => {
    expect(
      sizeOf([
        { width: 400, height: 300 },
        { width: 400, height: 800 },
      ]),
    ).toEqual({ "--ratio": 0.5, "--natural": "800px" });
  });

  test("knows the widths of the reduced files", () => {
    expect(widthWithin({ width: 1_200, height: 1_600 }, 800)).toBe(600);
    expect(widthWithin({ width: 640, height: 480 }, 800)).toBe(640);
  });
});

test("a blur is drawn from a valid thumbhash only", () => {
  expect(blurOf(aPicture().thumbhash)).toMatch(/^url\(data:image\/png;base64,/);
  for (const broken of ["", "!", "AAA=", "💧"]) expect(blurOf(broken)).toBeUndefined();
});
