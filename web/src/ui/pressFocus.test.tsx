import { fireEvent, render, screen } from "@testing-library/react";
import { useState } from "react";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Button } from "./Button";
import { Dialog } from "./Dialog";
import { catchFocus } from "./focus";
import { startPressFocus } from "./pressFocus";

let stop = (): void => undefined;
beforeEach(() => {
  stop = startPressFocus();
});
afterEach(() => stop());

/** Presses as Safari on a Mac does: the focus goes to what can have it around the button, or nowhere. */
function press(name: string): HTMLElement {
  const button = screen.getByRole("button", { name });
  const around = button.closest<HTMLElement>("[tabindex]");
  if (fireEvent.mouseDown(button)) {
    if (around === null) (document.activeElement as HTMLElement | null)?.blur();
    else around.focus();
  }
  fireEvent.click(button);
  return button;
}

function Page() {
  const [open, setOpen] = useState(false);
  const [edits, setEdits] = useState(false);
  return (
    <main tabIndex={-1}>
      <Button onClick={() => setOpen(true)}>Open</Button>
      <Dialog open={open} title="A question" onClose={() => setOpen(false)} />
      {edits ? (
        <input aria-label="Name" />
      ) : (
        <Button
          onClick={() => {
            setEdits(true);
            catchFocus(() => screen.queryByRole("textbox", { name: "Name" }));
          }}
        >
          Edit
        </Button>
      )}
    </main>
  );
}

describe("a press, where the browser does not focus buttons", () => {
  test("gives the focus back to the button when its dialog is closed", () => {
    render(<Page />);
    const button = press("Open");
    expect(screen.getByRole("dialog").contains(document.activeElement)).toBe(true);
    press("Close");
    expect(document.activeElement).toBe(button);
  });

  test("leads to the field that takes the place of the button", async () => {
    render(<Page />);
    press("Edit");
    const field = await screen.findByRole("textbox", { name: "Name" });
    await new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)));
    expect(document.activeElement).toBe(field);
  });

  test("leaves the focus in a field that keeps it", () => {
    render(
      <>
        <textarea aria-label="Box" />
        <button onMouseDown={(event) => event.preventDefault()}>Suggestion</button>
        <button>Post</button>
      </>,
    );
    const box = screen.getByRole("textbox", { name: "Box" });
    box.focus();
    press("Suggestion");
    expect(document.activeElement).toBe(box);
    // As on an iPhone.
    fireEvent.mouseDown(screen.getByRole("button", { name: "Post" }));
    fireEvent.click(screen.getByRole("button", { name: "Post" }));
    expect(document.activeElement).toBe(box);
  });

  test("is over when a key is pressed, so that a shortcut moves no focus", () => {
    render(
      <>
        <p>Text</p>
        <button>Later</button>
      </>,
    );
    fireEvent.mouseDown(screen.getByText("Text"));
    fireEvent.click(screen.getByText("Text"));
    fireEvent.keyDown(document.body, { key: "." });
    screen.getByRole("button", { name: "Later" }).click();
    expect(document.activeElement).toBe(document.body);
  });
});
