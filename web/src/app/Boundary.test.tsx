import { act, render, screen } from "@testing-library/react";
import { useState } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { update } from "../engine/store";
import { Boundary } from "./Boundary";

/** How many of the next renders fail. */
let failing = 0;
let drawAgain: () => void = () => undefined;

function Screen() {
  const [, set] = useState(0);
  drawAgain = () => set((n) => n + 1);
  if (failing > 0) {
    failing -= 1;
    throw new Error("taken apart");
  }
  return <p>A screen</p>;
}

beforeEach(() => {
  // React reports each error that a boundary catches.
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  vi.useFakeTimers();
  render(
    <Boundary>
      <Screen />
    </Boundary>,
  );
});
afterEach(() => vi.useRealTimers());

const dies = (renders: number) =>
  act(() => {
    failing = renders;
    drawAgain();
  });

/** React itself tries a render that failed once more. */
const ONCE = 2;

test("a screen that dies is drawn again, and again after it has lived for a while", () => {
  for (let time = 0; time < 3; time += 1) {
    dies(ONCE);
    expect(screen.getByText("A screen")).toBeTruthy();
    vi.advanceTimersByTime(5_000);
  }
});

test("a screen that dies again at once says that the page needs a fresh copy", () => {
  dies(100);
  expect(screen.getByRole("alert").textContent).toContain("fresh");
});

test("a screen that could not be drawn is tried again when the connection is back", () => {
  dies(100);
  const connection = (state: "live" | "offline") =>
    act(() => update((s) => ({ ...s, connection: { state, since: 0 } })));
  connection("offline");
  expect(screen.getByRole("alert")).toBeTruthy();
  failing = 0;
  connection("live");
  expect(screen.getByText("A screen")).toBeTruthy();
});
