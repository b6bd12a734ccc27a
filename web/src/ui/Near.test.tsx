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
  test("waits until the item is near, and stays when it is far again", () => {
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

  test("does not wait for ever: boxes far away come one after another", () => {
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

  test("waits its own time, also after a list that was left", () => {
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

  test("does not wait where items never do, nor outside of lists", () => {
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
