import { act, render, screen } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import { withSession } from "../../engine/feature";
import { store, update, useStore } from "../../engine/store";
import { anasFeed } from "../../testing/fixtures";
import { focusAfterLogOut } from "./focusAfterLogOut";

/** Home, with the menu that goes with the login. */
function Page() {
  const isGuest = useStore((s) => s.session.phase === "guest");
  return (
    <main>
      <h1>{isGuest ? "Welcome to Mellow" : "Your Space"}</h1>
      {!isGuest && <button>Account menu</button>}
      <input aria-label="Field" />
    </main>
  );
}

const logOut = () => act(() => update((s) => withSession(s, "guest", null)));
const frames = async (count: number) => {
  for (let n = 0; n < count; n += 1) await new Promise(requestAnimationFrame);
};

beforeEach(() => store.setState(anasFeed([]), true));

test("after a log-out on Home the heading of the first screen of guests has the focus", async () => {
  render(<Page />);
  screen.getByRole("button", { name: "Account menu" }).focus();
  focusAfterLogOut();
  logOut();
  await vi.waitFor(() =>
    expect(document.activeElement).toBe(screen.getByRole("heading", { name: "Welcome to Mellow" })),
  );
});

test("a log-out takes the focus from nothing that has it", async () => {
  render(<Page />);
  screen.getByRole("textbox", { name: "Field" }).focus();
  focusAfterLogOut();
  logOut();
  await frames(3);
  expect(document.activeElement).toBe(screen.getByRole("textbox", { name: "Field" }));
});
