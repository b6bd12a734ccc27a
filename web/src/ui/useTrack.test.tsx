import { fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { useTrack } from "./useTrack";

const WIDTH = 100;

function Row() {
  const { row, at, handlers } = useTrack(3);
  return (
    <>
      <div ref={row} data-testid="row" {...handlers}>
        <div />
        <div />
        <div />
      </div>
      <p>{`Page ${at + 1}`}</p>
    </>
  );
}

let row: HTMLElement;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("onscrollend", undefined);
  render(<Row />);
  row = screen.getByTestId("row");
  Object.defineProperty(row, "clientWidth", { value: WIDTH });
  Object.defineProperty(row, "scrollWidth", { value: 2.5 * WIDTH });
  [...row.children].forEach((page, n) => Object.defineProperty(page, "offsetLeft", { value: n * WIDTH }));
  row.scrollTo = ((to: ScrollToOptions) => (row.scrollLeft = to.left ?? 0)) as typeof row.scrollTo;
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function scrolls(left: number): void {
  row.scrollLeft = left;
  fireEvent.scroll(row);
}

test("a row that stops between two pages returns to its page, in a browser without the event for that", () => {
  scrolls(0.3 * WIDTH);
  vi.advanceTimersByTime(100);
  scrolls(0.4 * WIDTH);
  vi.advanceTimersByTime(100);
  expect(row.scrollLeft).toBe(0.4 * WIDTH);
  vi.advanceTimersByTime(100);
  expect(row.scrollLeft).toBe(0);
});

test("a row that is held by a finger stays where it is", () => {
  fireEvent.touchStart(row);
  scrolls(0.4 * WIDTH);
  vi.advanceTimersByTime(1_000);
  expect(row.scrollLeft).toBe(0.4 * WIDTH);
  fireEvent.touchEnd(row);
  vi.advanceTimersByTime(200);
  expect(row.scrollLeft).toBe(0);
});

test("a row that ends before its last page can begin at its edge shows the last page at its end", () => {
  scrolls(WIDTH);
  expect(screen.getByText("Page 2")).toBeTruthy();
  scrolls(1.5 * WIDTH);
  expect(screen.getByText("Page 3")).toBeTruthy();
});
