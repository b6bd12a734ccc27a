import { act, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { NearItem, useItemIsNear } from "./Near";

const watched: { seen(isIntersecting: boolean): void; stopped: boolean }[] = [];

beforeEach(() => {
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
afterEach(() => vi.unstubAllGlobals());

function Box() {
  return useItemIsNear() ? <textarea aria-label="Box" /> : <p>Its place</p>;
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
