import { act, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ConnectionDot } from "./ConnectionDot";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const words = (): string => screen.getByRole("status", { name: "Connection" }).textContent;
const wait = (ms: number): void => act(() => void vi.advanceTimersByTime(ms));

test("a lost connection is shown after three seconds, and as offline after fifteen", () => {
  const onTryNow = vi.fn();
  const { rerender } = render(<ConnectionDot state="live" since={0} onTryNow={onTryNow} />);
  expect(words()).toBe("Live");
  rerender(<ConnectionDot state="reconnecting" since={Date.now()} onTryNow={onTryNow} />);
  wait(2_900);
  expect(words()).toBe("Live");
  wait(200);
  expect(words()).toBe("Reconnecting");
  expect(screen.queryByRole("button")).toBeNull();
  wait(12_000);
  expect(words()).toBe("You're offline. What you see may be old.");
  screen.getByRole("button", { name: "Try now" }).click();
  expect(onTryNow).toHaveBeenCalledOnce();
});
