import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { NearItem, useItemIsReady } from "./Near";

const watched: { seen(isIntersecting: boolean): void; stopped: boolean }[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  watched.length = 0;
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      private readonly watch;
      constructor(callback: (seen: { isIntersecting: boolean }[]) => void) {
        this.watch = { seen: (is: boolean) => callback([{ isIntersecting: is }]), stopped: false };
      }
      observe() {
        watched.push(this.watch);
      }
      disconnect() {
        this.watch.stopped = true;
      }
    },
  );
});
afterEach(() => {
  cleanup();
  vi.runAllTimers();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function Box() {
  return useItemIsReady() ? <textarea aria-label="Box" /> : <p>Its place</p>;
}

describe("a box in an item of a list", () => {
  test("is rendered when the item comes near the window, and stays when it is far again", () => {
    render(
      <NearItem always={false}>
        <Box />
      </NearItem>,
    );
    act(() => watched[0]?.seen(false));
    expect(screen.getByText("Its place")).toBeTruthy();
    act(() => watched[0]?.seen(true));
    expect(screen.getByRole("textbox", { name: "Box" })).toBeTruthy();
    expect(watched).toEqual([expect.objectContaining({ stopped: true })]);
  });

  test("is rendered after about two seconds in items that are far away, one after another", () => {
    for (const name of ["first", "second"])
      render(
        <NearItem always={false} aria-label={name}>
          <Box />
        </NearItem>,
      );
    const boxes = () => screen.queryAllByRole("textbox", { name: "Box" }).length;
    act(() => vi.advanceTimersByTime(1_999));
    expect(boxes()).toBe(0);
    act(() => vi.advanceTimersByTime(1));
    expect(boxes()).toBe(1);
    act(() => vi.advanceTimersByTime(50));
    expect(boxes()).toBe(2);
  });

  test("waits the same time after another list was left", () => {
    const item = (
      <NearItem always={false}>
        <Box />
      </NearItem>
    );
    const left = render(item);
    act(() => vi.advanceTimersByTime(1_900));
    left.unmount();
    render(item);
    act(() => vi.advanceTimersByTime(1_999));
    expect(screen.queryByRole("textbox")).toBe(null);
    act(() => vi.advanceTimersByTime(1));
    expect(screen.getByRole("textbox", { name: "Box" })).toBeTruthy();
  });

  test("is rendered at once with `always`, and outside of lists", () => {
    render(
      <NearItem always>
        <Box />
      </NearItem>,
    );
    render(<Box />);
    expect(screen.getAllByRole("textbox", { name: "Box" })).toHaveLength(2);
    expect(watched).toEqual([]);
  });
});
