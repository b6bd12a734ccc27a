import { fireEvent, render, screen } from "@testing-library/react";
import { useState } from "react";
import { describe, expect, test, vi } from "vitest";
import { Button } from "./Button";
import { ConfirmDialog } from "./ConfirmDialog";
import { Dialog } from "./Dialog";

function Page({ onConfirm = () => undefined }: { onConfirm?: () => void }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Delete</Button>
      <ConfirmDialog
        open={open}
        title="Delete Comment"
        confirm="Delete it"
        danger
        third={{ label: "Keep a copy", onPress: () => setOpen(false) }}
        onConfirm={onConfirm}
        onClose={() => setOpen(false)}
      >
        Are you sure?
      </ConfirmDialog>
    </>
  );
}

const open = (): HTMLElement => {
  const opener = screen.getByRole("button", { name: "Delete" });
  opener.focus();
  fireEvent.click(opener);
  return opener;
};

describe("a confirmation dialog", () => {
  test("is named by its title and focuses the button that cancels", () => {
    render(<Page />);
    open();
    expect(screen.getByRole("alertdialog", { name: "Delete Comment" })).toBeTruthy();
    expect(document.activeElement?.textContent).toBe("Cancel");
  });

  test("closes with Escape and returns the focus", () => {
    render(<Page />);
    const opener = open();
    fireEvent.keyDown(document, { key: "Escape" });
    expect(screen.queryByRole("alertdialog")).toBeNull();
    expect(document.activeElement).toBe(opener);
  });

  test("keeps Tab inside, in both directions", () => {
    render(<Page />);
    open();
    const buttons = screen.getByRole("alertdialog").querySelectorAll("button");
    const first = buttons[0];
    const last = buttons[buttons.length - 1];
    last?.focus();
    fireEvent.keyDown(document, { key: "Tab" });
    expect(document.activeElement).toBe(first);
    fireEvent.keyDown(document, { key: "Tab", shiftKey: true });
    expect(document.activeElement).toBe(last);
  });

  test("makes the page behind it inert only while it is open", () => {
    const { container } = render(<Page />);
    open();
    expect(container.inert).toBe(true);
    fireEvent.click(screen.getByRole("button", { name: "Cancel" }));
    expect(container.inert).toBe(false);
  });

  test("acts when confirmed", () => {
    const onConfirm = vi.fn();
    render(<Page onConfirm={onConfirm} />);
    open();
    fireEvent.click(screen.getByRole("button", { name: "Delete it" }));
    expect(onConfirm).toHaveBeenCalledOnce();
  });
});

test("of two dialogs only the newer one handles Escape and can be reached", () => {
  const onLower = vi.fn();
  const onUpper = vi.fn();
  render(
    <>
      <Dialog open title="Lower" onClose={onLower}>
        <button type="button">one</button>
      </Dialog>
      <Dialog open title="Upper" onClose={onUpper}>
        <button type="button">two</button>
      </Dialog>
    </>,
  );
  expect(screen.getByText("one").closest("[inert]")).not.toBeNull();
  fireEvent.keyDown(document, { key: "Escape" });
  expect(onUpper).toHaveBeenCalledOnce();
  expect(onLower).not.toHaveBeenCalled();
});
