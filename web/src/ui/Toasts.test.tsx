import { act, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { LiveRegions } from "./LiveRegions";
import { Toasts } from "./Toasts";
import { toast, toastList } from "./toast";

beforeEach(() => {
  vi.useFakeTimers();
  toastList.clear();
  render(
    <>
      <Toasts />
      <LiveRegions />
    </>,
  );
});
afterEach(() => {
  vi.useRealTimers();
});

const messages = (): HTMLElement => screen.getByRole("region", { name: /^Messages/u });
const shown = (): string[] =>
  within(messages())
    .queryAllByRole("listitem")
    .map((item) => item.querySelector("span")?.textContent ?? "");
const say = (...args: Parameters<typeof toast>): void => act(() => toast(...args));
const wait = (ms: number): void => act(() => void vi.advanceTimersByTime(ms));

describe("a toast", () => {
  test("is shown for three seconds, or for the given time", () => {
    say("Saved");
    say("Copied", { ms: 4_000 });
    wait(2_999);
    expect(shown()).toEqual(["Saved", "Copied"]);
    wait(1);
    expect(shown()).toEqual(["Copied"]);
    wait(1_000);
    expect(shown()).toEqual([]);
  });

  test("stays while the pointer is on it, and is then shown for the rest of its time", () => {
    say("Saved");
    wait(2_000);
    fireEvent.pointerMove(messages(), { pointerType: "mouse" });
    wait(10_000);
    expect(shown()).toEqual(["Saved"]);
    fireEvent.pointerLeave(messages());
    wait(999);
    expect(shown()).toEqual(["Saved"]);
    wait(2);
    expect(shown()).toEqual([]);
  });

  test("gives the focus back when it is closed with the keyboard", () => {
    const button = document.body.appendChild(document.createElement("button"));
    button.focus();
    say("Saved");
    act(() => screen.getByRole("button", { name: "Close" }).focus());
    fireEvent.click(screen.getByRole("button", { name: "Close" }));
    act(() => void vi.advanceTimersToNextFrame());
    expect(shown()).toEqual([]);
    expect(document.activeElement).toBe(button);
    button.remove();
  });

  test("does not stay if it appears under a pointer that does not move", () => {
    say("Saved");
    fireEvent.pointerEnter(messages(), { pointerType: "mouse" });
    wait(3_000);
    expect(shown()).toEqual([]);
  });

  test("waits if two others are shown", () => {
    say("one");
    say("two");
    say("three");
    expect(shown()).toEqual(["one", "two"]);
    wait(3_000);
    expect(shown()).toEqual(["three"]);
  });

  test("is announced in a pause, or at once if it is an error", () => {
    say("Saved");
    expect(screen.getByRole("status").textContent).toBe("Saved");
    say("Error logging in. Please try again.", { error: true });
    expect(screen.getByRole("alert").textContent).toBe("Error logging in. Please try again.");
  });

  test("can be closed by its button", () => {
    say("Saved");
    fireEvent.click(within(messages()).getByRole("button", { name: "Close" }));
    expect(shown()).toEqual([]);
  });
});
