import { fireEvent, render, screen } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { Field } from "./Field";
import { PasswordField } from "./PasswordField";

describe("a field", () => {
  test("has its label as its name and its hint as its description", () => {
    render(
      <Field label="Title" hint="Optional">
        <input />
      </Field>,
    );
    const box = screen.getByRole("textbox", { name: "Title" });
    expect(document.getElementById(box.getAttribute("aria-describedby") ?? "")?.textContent).toBe("Optional");
    expect(box.getAttribute("aria-invalid")).toBeNull();
  });

  test("shows its error until the value is corrected", () => {
    const field = (error: string | null) => (
      <Field label="Text" error={error}>
        <input />
      </Field>
    );
    const { rerender } = render(field("Post text is required"));
    const alert = screen.getByRole("alert");
    expect(alert.textContent).toBe("Post text is required");
    expect(screen.getByRole("textbox").getAttribute("aria-invalid")).toBe("true");
    expect(screen.getByRole("textbox").getAttribute("aria-describedby")).toContain(alert.id);
    rerender(field(null));
    expect(screen.queryByRole("alert")).toBeNull();
    expect(screen.getByRole("textbox").getAttribute("aria-invalid")).toBeNull();
  });

  test("shows its error in the place of its hint", () => {
    const field = (error: string | null) => (
      <PasswordField label="Password" hint="At least 10 characters." error={error} />
    );
    const { rerender } = render(field("That password is too easy to guess."));
    const box = screen.getByLabelText("Password");
    const described = () => document.getElementById(box.getAttribute("aria-describedby") ?? "")?.textContent;
    expect(screen.queryByText("At least 10 characters.")).toBeNull();
    expect(described()).toBe("That password is too easy to guess.");
    rerender(field(null));
    expect(screen.queryByRole("alert")).toBeNull();
    expect(described()).toBe("At least 10 characters.");
  });

  test("shows a password only after a press on the button for it", () => {
    render(<PasswordField label="Password" />);
    const box = screen.getByLabelText("Password");
    const show = screen.getByRole("button", { name: "Show password" });
    expect(box.getAttribute("type")).toBe("password");
    fireEvent.click(show);
    expect(box.getAttribute("type")).toBe("text");
    expect(show.getAttribute("aria-pressed")).toBe("true");
  });
});
