import { act, render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { store, update, useStore } from "../../engine/store";
import { anasFeed } from "../../testing/fixtures";
import NotSent from "./NotSent";

const offlineData = vi.hoisted(() => ({ send: vi.fn(), delete: vi.fn() }));
vi.mock("./begin", () => ({ offlineData }));

const waiting = (key: string, text: string) => ({
  key,
  op: "comments.create" as const,
  text,
  reason: "That post isn't available.",
});

/** Home, which shows the list as long as it has something. */
function Page() {
  const isThere = useStore((s) => s.notSent.length > 0);
  return (
    <main>
      <h1>Your Space</h1>
      {isThere && <NotSent />}
    </main>
  );
}

const buttons = (name: string) => screen.getAllByRole("button", { name });
const described = (button: HTMLElement) =>
  document.getElementById(button.getAttribute("aria-describedby") ?? "")?.textContent;

test("what was not sent has buttons that are told apart, and the focus stays there until nothing is left", async () => {
  const notSent = [waiting("a1", "Two sugars."), waiting("b2", "Lemon, please.")];
  store.setState({ ...anasFeed([]), notSent }, true);
  offlineData.delete.mockImplementation((key: string) =>
    update((s) => ({ ...s, notSent: s.notSent.filter((one) => one.key !== key) })),
  );
  render(<Page />);
  for (const name of ["Delete", "Send"])
    expect(buttons(name).map(described)).toEqual(["Two sugars.", "Lemon, please."]);

  const deletesFirst = () => {
    const [first] = buttons("Delete");
    act(() => first?.focus());
    act(() => first?.click());
  };
  deletesFirst();
  await vi.waitFor(() => expect(document.activeElement?.textContent).toBe("Not sent"));
  deletesFirst();
  await vi.waitFor(() => expect(document.activeElement?.textContent).toBe("Your Space"));
});
