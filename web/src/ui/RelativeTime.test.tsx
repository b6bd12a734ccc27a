import { act, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RelativeTime } from "./RelativeTime";

beforeEach(() => {
  vi.useFakeTimers({ now: new Date("2026-03-05T12:00:00Z") });
});
afterEach(() => {
  vi.useRealTimers();
});

test("a relative time on screen updates by itself", () => {
  render(<RelativeTime ms={Date.now() - 30_000} />);
  expect(screen.getByText("Just now").tagName).toBe("TIME");
  act(() => vi.advanceTimersByTime(60_000));
  expect(screen.getByText("1 minute ago")).toBeTruthy();
  act(() => vi.advanceTimersByTime(120_000));
  expect(screen.getByText("3 minutes ago")).toBeTruthy();
});

test("a relative time says the exact time when somebody points at it", () => {
  render(<RelativeTime ms={new Date(2026, 2, 4, 18, 30).getTime()} />);
  expect(screen.getByTitle("04/Mar/26, 18:30").tagName).toBe("TIME");
});
