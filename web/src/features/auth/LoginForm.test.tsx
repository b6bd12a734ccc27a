import { act, fireEvent, render, screen } from "@testing-library/react";
import { beforeEach, describe, expect, test, vi } from "vitest";
import * as session from "../../engine/session";
import type { Me } from "../../engine/types.gen";
import { aMe } from "../../testing/fixtures";
import { toastList } from "../../ui/toast";
import { LoginForm } from "./LoginForm";
import { SignupForm } from "./SignupForm";

vi.mock("../../engine/session", async (original) => ({
  ...(await original<typeof session>()),
  logIn: vi.fn(),
  signUp: vi.fn(),
}));

const logIn = vi.mocked(session.logIn);
const signUp = vi.mocked(session.signUp);
const ana: Me = aMe({ id: 7 });
const type = (label: string, value: string): void => {
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
};
const press = async (name: string): Promise<void> => {
  await act(async () => fireEvent.click(screen.getByRole("button", { name })));
};

beforeEach(() => {
  logIn.mockReset();
  signUp.mockReset();
  toastList.clear();
});

describe("logging in", () => {
  test("needs an address and a password, and is disabled during the request", async () => {
    let answer: (me: Me) => void = () => undefined;
    logIn.mockReturnValue(new Promise((resolve) => (answer = resolve)));
    const onDone = vi.fn();
    render(<LoginForm onDone={onDone} />);
    const button = screen.getByRole("button", { name: "Log In" });
    expect(button.hasAttribute("disabled")).toBe(true);
    type("Email", " ana@example.org ");
    type("Password", "a few plain words");
    expect(button.hasAttribute("disabled")).toBe(false);
    await press("Log In");
    expect(button.hasAttribute("disabled")).toBe(true);
    await act(async () => answer(ana));
    expect(logIn).toHaveBeenCalledWith("ana@example.org", "a few plain words");
    expect(onDone).toHaveBeenCalledWith(ana);
  });

  test("shows the server's message if the specification has it, and keeps the text", async () => {
    logIn.mockRejectedValue(
      new session.RefusedError("bad_credentials", "Incorrect email or password. Please try again."),
    );
    render(<LoginForm onDone={() => undefined} />);
    type("Email", "ana@example.org");
    type("Password", "wrong");
    await press("Log In");
    expect(toastList.get()).toMatchObject([
      { message: "Incorrect email or password. Please try again.", error: true },
    ]);
    expect(screen.getByLabelText<HTMLInputElement>("Email").value).toBe("ana@example.org");
    expect(screen.getByLabelText<HTMLInputElement>("Password").value).toBe("wrong");
  });

  test("shows the same message for every other failure", async () => {
    logIn.mockRejectedValue(new Error("no line"));
    render(<LoginForm onDone={() => undefined} />);
    type("Email", "ana@example.org");
    type("Password", "wrong");
    await press("Log In");
    expect(toastList.get()).toMatchObject([{ message: "Error logging in. Please try again." }]);
  });
});

describe("signing up", () => {
  test("shows an error beside the field until it is corrected", async () => {
    signUp.mockRejectedValue(
      new session.RefusedError("weak_password", "Please use at least 10 characters.", "password"),
    );
    render(<SignupForm invite={null} onDone={() => undefined} />);
    type("Email", "ana@example.org");
    type("Password", "short");
    type("What should people call you?", "Ana");
    await press("Sign Up");
    expect(screen.getByRole("alert").textContent).toBe("Please use at least 10 characters.");
    expect(screen.getByLabelText("Password").getAttribute("aria-invalid")).toBe("true");
    expect(document.activeElement).toBe(screen.getByLabelText("Password"));
    expect(screen.getByLabelText<HTMLInputElement>("What should people call you?").value).toBe("Ana");
    type("Password", "longer words");
    expect(screen.queryByRole("alert")).toBeNull();
  });
});
