// In a page from right to left, such as an Arabic one, keys and rows that go along the text turn round.

import { fireEvent, render, screen } from "@testing-library/react";
import { useState } from "react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Menu } from "./Menu";
import { Tabs } from "./Tabs";
import { pageOf, useTrack } from "./useTrack";

const root = document.documentElement;
beforeEach(() => {
  root.dir = "rtl";
});
afterEach(() => {
  root.removeAttribute("dir");
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("a row of pages", () => {
  const ROW_PX = 200;
  /** The pages have different widths, as pictures have. */
  const WIDTHS = [150, 80, 120];

  function Row() {
    const { row, at, go, handlers } = useTrack(3);
    return (
      // The keys of the row are handled as the carousel does it.
      // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
      <div
        ref={row}
        data-testid="row"
        data-at={at}
        {...handlers}
        onKeyDown={(event) => {
          const to = pageOf(event, at, 3);
          if (to !== null) go(to);
        }}
      >
        <i />
        <i />
        <i />
      </div>
    );
  }

  let row: HTMLElement;
  const asked: number[] = [];
  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal("onscrollend", undefined);
    asked.length = 0;
    render(<Row />);
    row = screen.getByTestId("row");
    Object.defineProperty(row, "clientWidth", { value: ROW_PX });
    Object.defineProperty(row, "scrollWidth", { value: 400 });
    // The first page ends at the right edge of the row, and the others are on its left.
    let left = ROW_PX;
    [...row.children].forEach((page, n) => {
      left -= WIDTHS[n] ?? 0;
      Object.defineProperty(page, "offsetLeft", { value: left });
      Object.defineProperty(page, "offsetWidth", { value: WIDTHS[n] });
    });
    row.scrollTo = ((to: ScrollToOptions) => asked.push(to.left ?? 0)) as typeof row.scrollTo;
  });

  const at = () => Number(row.dataset["at"]);
  function scrolls(left: number): void {
    row.scrollLeft = left;
    fireEvent.scroll(row);
  }

  test("knows its page, although browsers count the way below zero", () => {
    scrolls(-150);
    expect(at()).toBe(1);
    scrolls(0);
    expect(at()).toBe(0);
  });

  test("goes to the left with the key that points there, and shows the last page at its end", () => {
    fireEvent.keyDown(row, { key: "ArrowLeft" });
    expect([at(), asked.at(-1)]).toEqual([1, -150]);
    scrolls(-150);
    fireEvent.keyDown(row, { key: "ArrowRight" });
    expect(at()).toBe(0);
    scrolls(0);
    fireEvent.keyDown(row, { key: "End" });
    expect([at(), asked.at(-1)]).toEqual([2, -200]);
  });

  test("that stops between two pages returns to its page", () => {
    scrolls(-150);
    scrolls(-70);
    vi.advanceTimersByTime(1_000);
    expect(asked.at(-1)).toBe(-150);
  });
});

function Letters() {
  const [at, setAt] = useState<"a" | "b" | "c">("a");
  const tabs = [
    { id: "a", name: "A" },
    { id: "b", name: "B" },
    { id: "c", name: "C" },
  ] as const;
  return <Tabs label="Letters" tabs={tabs} at={at} panel="panel" onTab={(to) => setAt(to)} />;
}

test("in tabs the next one is on the left", () => {
  render(<Letters />);
  const press = (key: string) => {
    fireEvent.keyDown(screen.getByRole("tab", { selected: true }), { key });
    return screen.getByRole("tab", { selected: true }).textContent;
  };
  expect(["ArrowLeft", "ArrowLeft", "ArrowRight", "ArrowRight", "ArrowRight"].map(press)).toEqual([
    "B",
    "C",
    "B",
    "A",
    "C",
  ]);
});

test("a menu that would pass the right edge of the window begins where its button begins", () => {
  render(
    <Menu label="More" items={[{ label: "Share", onSelect: () => undefined }]}>
      <i />
    </Menu>,
  );
  const button = screen.getByRole("button", { name: "More" });
  Object.defineProperty(root, "clientWidth", { configurable: true, value: 320 });
  const width = vi.spyOn(HTMLElement.prototype, "offsetWidth", "get").mockReturnValue(200);
  const opensFrom = (left: number): boolean => {
    button.getBoundingClientRect = () => new DOMRect(left, 0, 44, 44);
    fireEvent.click(button);
    const isFromStart = screen.getByRole("menu").hasAttribute("data-from-start");
    fireEvent.click(button);
    return isFromStart;
  };
  expect([opensFrom(100), opensFrom(260)]).toEqual([false, true]);
  width.mockRestore();
  Reflect.deleteProperty(root, "clientWidth");
});
