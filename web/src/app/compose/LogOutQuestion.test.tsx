import { render, screen } from "@testing-library/react";
import { afterEach, describe, expect, test, vi } from "vitest";
import { draftKey } from "../../features/drafts/key";
import type { Composition } from "./composition";
import { LogOutQuestion } from "./LogOutQuestion";
import { sendingPosts } from "./sendingPosts";

const ANA = 1;

afterEach(() => {
  localStorage.clear();
  sendingPosts.clear();
});

const asked = () => {
  localStorage.setItem(draftKey(ANA), "{}");
  const [onLogOut, onStay] = [vi.fn(), vi.fn()];
  render(<LogOutQuestion userId={ANA} onLogOut={onLogOut} onStay={onStay} />);
  return { onLogOut, onStay };
};

describe("logging out with a draft in this browser", () => {
  test("asks, and closes the question when the draft is deleted meanwhile", () => {
    const { onLogOut, onStay } = asked();
    expect(screen.getByRole("alertdialog", { name: "Not Posted" })).toBeTruthy();
    localStorage.clear();
    dispatchEvent(new StorageEvent("storage"));
    expect(onStay).toHaveBeenCalledOnce();
    expect(onLogOut).not.toHaveBeenCalled();
  });

  test("does not ask about a draft that is being posted, and keeps it", () => {
    sendingPosts.set(ANA, {} as Composition);
    const { onLogOut } = asked();
    expect(screen.queryByRole("alertdialog")).toBe(null);
    expect(onLogOut).toHaveBeenCalledOnce();
    expect(localStorage.getItem(draftKey(ANA))).toBe("{}");
  });
});
