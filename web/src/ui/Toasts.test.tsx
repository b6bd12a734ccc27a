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

describe("a message", () => {
  test("shows for three seconds, or as long as it is given", () => {
    say("Saved");
    say("Copied", { ms: 4_000 });
    wait(2_999);
    expect(shown()).toEqual(["Saved", "Copied"]);
    wait(1);
    expect(shown()).toEqual(["Copied"]);
    wait(1_000);
    expect(shown()).toEqual([]);
  });

  test("waits while the pointer is on it, and then has the rest of its time", () => {
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

  test("does not wait when it appears under a resting pointer", () => {
    say("Saved");
    fireEvent.pointerEnter(messages(), { pointerType: "mouse" });
    wait(3_000);
    expect(shown()).toEqual([]);
  });

  test("is one of two at most, and a third waits", () => {
    say("one");
    say("two");
    say("three");
    expect(shown()).toEqual(["one", "two"]);
    wait(3_000);
    expect(shown()).toEqual(["three"]);
  });

  test("is announced politely, and an error at once", () => {
    say("Saved");
    expect(screen.getByRole("status").textContent).toBe("Saved");
    say("Error logging in. Please try again.", { error: true });
    expect(screen.getByRole("alert").textContent).toBe("Error logging in. Please try again.");
  });

  test("can be closed by hand", () => {
    say("Saved");
    fireEvent.click(within(messages()).getByRole("button", { name: "Close" }));
    expect(shown()).toEqual([]);
  });
});
