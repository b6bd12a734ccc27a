import { act, render, screen } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import { emptyState } from "../engine/feature";
import { store } from "../engine/store";
import { aMe } from "../testing/fixtures";
import { LoginEnded, endedDialog } from "./LoginEnded";

const is = (phase: "signed-in" | "ended"): void =>
  act(() => store.setState({ ...emptyState(), session: { phase, me: aMe() } }, true));

beforeEach(() => {
  endedDialog.held = null;
  vi.restoreAllMocks();
});

test("the dialog opens as soon as the login ends if its file is loaded, and closes at the next log-in", async () => {
  is("signed-in");
  await endedDialog.fetch();
  render(<LoginEnded onLogOut={() => undefined} />);
  expect(screen.queryByRole("dialog")).toBeNull();
  is("ended");
  expect(screen.getByRole("dialog", { name: "Log In" })).toBeDefined();
  is("signed-in");
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("on a bad connection the dialog's file is requested again until it arrives", async () => {
  vi.useFakeTimers();
  const fetch = vi.spyOn(endedDialog, "fetch").mockRejectedValueOnce(new Error("no line"));
  is("ended");
  render(<LoginEnded onLogOut={() => undefined} />);
  await act(() => vi.advanceTimersByTimeAsync(0));
  expect(screen.queryByRole("dialog")).toBeNull();
  await act(() => vi.advanceTimersByTimeAsync(3_000));
  expect(fetch).toHaveBeenCalledTimes(2);
  vi.useRealTimers();
  expect(await screen.findByRole("dialog", { name: "Log In" })).toBeDefined();
});
