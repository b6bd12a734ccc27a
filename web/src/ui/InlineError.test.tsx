import { act, fireEvent, render, screen } from "@testing-library/react";
import { useState } from "react";
import { expect, test } from "vitest";
import { InlineError } from "./InlineError";

const frame = () => act(async () => void (await new Promise((done) => requestAnimationFrame(done))));

function List() {
  const [failed, setFailed] = useState(true);
  return (
    <main tabIndex={-1}>
      {failed ? <InlineError onRetry={() => setFailed(false)} /> : <p>Three posts</p>}
    </main>
  );
}

test("the focus stays near the button that goes when it is pressed", async () => {
  render(<List />);
  const button = screen.getByRole("button", { name: "Try again" });
  button.focus();
  fireEvent.click(button);
  expect(screen.getByText("Three posts")).toBeDefined();
  await frame();
  expect(document.activeElement).toBe(screen.getByRole("main"));
});
