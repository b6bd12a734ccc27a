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

test("the moment is one of the server's clock", () => {
  const run = vi.fn();
  setClockOffset(5_000);
  onceDue(1_015_000, run);
  vi.advanceTimersByTime(9_999);
  expect(run).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(run).toHaveBeenCalledTimes(1);
});

test("what is past is done at once, and once", () => {
  const run = vi.fn();
  onceDue(1_000_000, run);
  vi.advanceTimersByTime(100_000);
  expect(run).toHaveBeenCalledTimes(1);
});

test("a laptop that slept through the moment notices when it is opened", () => {
  const run = vi.fn();
  onceDue(1_000_000 + 8 * 3_600_000, run);
  // Asleep: time goes on and no timer runs.
  vi.setSystemTime(1_000_000 + 9 * 3_600_000);
  expect(run).not.toHaveBeenCalled();
  document.dispatchEvent(new Event("visibilitychange"));
  expect(run).toHaveBeenCalledTimes(1);
});

test("also without a word from the browser, within half a minute", () => {
  const run = vi.fn();
  onceDue(1_000_000 + 8 * 3_600_000, run);
  vi.setSystemTime(1_000_000 + 9 * 3_600_000);
  vi.advanceTimersByTime(30_000);
  expect(run).toHaveBeenCalledTimes(1);
});

test("what was called off does not happen", () => {
  const run = vi.fn();
  onceDue(1_010_000, run)();
  vi.advanceTimersByTime(20_000);
  expect(run).not.toHaveBeenCalled();
});
