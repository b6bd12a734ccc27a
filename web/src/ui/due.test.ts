import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { onceDue } from "./due";
import { setClockOffset } from "./now";

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
  setClockOffset(0);
});
afterEach(() => {
  vi.useRealTimers();
  setClockOffset(0);
});

test("a timer runs by the server's clock", () => {
  const run = vi.fn();
  setClockOffset(5_000);
  onceDue(1_015_000, run);
  vi.advanceTimersByTime(9_999);
  expect(run).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(run).toHaveBeenCalledTimes(1);
});

test("a timer in the past fires at once and only once", () => {
  const run = vi.fn();
  onceDue(1_000_000, run);
  vi.advanceTimersByTime(100_000);
  expect(run).toHaveBeenCalledTimes(1);
});

test("a timer missed during sleep fires on waking", () => {
  const run = vi.fn();
  onceDue(1_000_000 + 8 * 3_600_000, run);
  // The device sleeps: time passes and no timer runs.
  vi.setSystemTime(1_000_000 + 9 * 3_600_000);
  expect(run).not.toHaveBeenCalled();
  document.dispatchEvent(new Event("visibilitychange"));
  expect(run).toHaveBeenCalledTimes(1);
});

test("a missed timer fires within half a minute without a browser event", () => {
  const run = vi.fn();
  onceDue(1_000_000 + 8 * 3_600_000, run);
  vi.setSystemTime(1_000_000 + 9 * 3_600_000);
  vi.advanceTimersByTime(30_000);
  expect(run).toHaveBeenCalledTimes(1);
});

test("a cancelled timer does not fire", () => {
  const run = vi.fn();
  onceDue(1_010_000, run)();
  vi.advanceTimersByTime(20_000);
  expect(run).not.toHaveBeenCalled();
});
