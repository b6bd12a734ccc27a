// The pages for guests: log in, sign up, and the pages behind the links of mails.

import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Router } from "wouter";
import { memoryLocation } from "wouter/memory-location";
import * as session from "../../engine/session";
import { emptyState } from "../../engine/feature";
import { store } from "../../engine/store";
import { aMe } from "../../testing/fixtures";
import { havePasskeys, noPasskeys } from "../../testing/passkeys";
import { toastList } from "../../ui/toast";
import ForgotScreen from "./ForgotScreen";
import InviteScreen from "./InviteScreen";
import LoginScreen from "./LoginScreen";
import ResetScreen from "./ResetScreen";
import SignupScreen from "./SignupScreen";
import VerifyScreen from "./VerifyScreen";

vi.mock("../../engine/session", async (original) => ({
  ...(await original<typeof session>()),
  preloadClient: vi.fn(),
  askAsGuest: vi.fn(),
  resetPassword: vi.fn(),
}));

const askAsGuest = vi.mocked(session.askAsGuest);
const resetPassword = vi.mocked(session.resetPassword);
const TOKEN = "t".repeat(43);
const no = (code: string, message = "No.", field: string | null = null): session.RefusedError =>
  new session.RefusedError(code, message, field);
const is = (phase: session.Phase): void =>
  store.setState({ ...emptyState(), session: { phase, me: phase === "guest" ? null : aMe() } }, true);
const press = async (name: string): Promise<void> => {
  await act(async () => fireEvent.click(screen.getByRole("button", { name })));
};
const type = (label: string, value: string): void =>
  void fireEvent.change(screen.getByLabelText(label), { target: { value } });

/** Opens a page. The result's `at` returns the current address. */
function open(Screen: () => React.ReactNode, path: string): { at(): string } {
  const [name = "", fragment = ""] = path.split("#");
  history.replaceState(null, "", fragment === "" ? "/" : `/#${fragment}`);
  const { hook, searchHook, history: went } = memoryLocation({ path: name, record: true });
  render(
    <Router hook={hook} searchHook={searchHook}>
      <Screen />
    </Router>,
  );
  return { at: () => went.at(-1) ?? "" };
}

beforeEach(() => {
  vi.resetAllMocks();
  toastList.clear();
  is("guest");
});

describe("the wanted page", () => {
  test("is kept in the links between log in, sign up and the forgotten password", () => {
    open(LoginScreen, "/login?next=%2Fpost%2F7");
    expect(screen.getByRole("link", { name: "Sign Up" }).getAttribute("href")).toBe(
      "/signup?next=%2Fpost%2F7",
    );
    expect(screen.getByRole("link", { name: "Forgot your password?" }).getAttribute("href")).toBe(
      "/forgot?next=%2Fpost%2F7",
    );
    cleanup();
    open(ForgotScreen, "/forgot?next=%2Fpost%2F7");
    expect(screen.getByRole("link", { name: "Log In" }).getAttribute("href")).toBe("/login?next=%2Fpost%2F7");
    cleanup();
    open(SignupScreen, "/signup?next=%2Fpost%2F7");
    expect(screen.getByRole("link", { name: "Log In" }).getAttribute("href")).toBe("/login?next=%2Fpost%2F7");
  });

  test("is kept exactly, with any characters", () => {
    const next = encodeURIComponent("/create-post?tag=Tea%20%26%20toast");
    open(LoginScreen, `/login?next=${next}`);
    expect(screen.getByRole("link", { name: "Sign Up" }).getAttribute("href")).toBe(`/signup?next=${next}`);
    cleanup();
    is("signed-in");
    expect(open(LoginScreen, `/login?next=${next}`).at()).toBe("/create-post?tag=Tea%20%26%20toast");
  });

  test("is opened at once for a user who is already signed in", () => {
    is("signed-in");
    expect(open(LoginScreen, "/login?next=%2Fpost%2F7").at()).toBe("/post/7");
    expect(open(LoginScreen, "/login").at()).toBe("/");
    expect(open(SignupScreen, "/signup?next=%2Fsearch").at()).toBe("/search");
    expect(open(SignupScreen, "/signup").at()).toBe("/");
  });

  test("is opened after signing up; without one the new profile is opened", () => {
    for (const [path, to] of [
      ["/signup?next=%2Fpost%2F7", "/post/7"],
      ["/signup", "/profile/1"],
    ] as const) {
      is("guest");
      const page = open(SignupScreen, path);
      act(() => is("signed-in"));
      expect(page.at()).toBe(to);
      cleanup();
    }
  });
});

describe("a forgotten password", () => {
  test("shows the same sentence for every address", async () => {
    open(ForgotScreen, "/forgot");
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Reset your password");
    type("Email", " ana@example.org ");
    await press("Send Reset Link");
    expect(askAsGuest).toHaveBeenCalledWith("auth.request_reset", { email: "ana@example.org" });
    expect(screen.getByRole("status").textContent).toBe(
      "If that address has an account, a link is on its way.",
    );
  });

  test("shows an invalid address beside the field, and any other failure as a sentence", async () => {
    askAsGuest
      .mockRejectedValueOnce(no("invalid", "Please enter a valid email address.", "email"))
      .mockRejectedValueOnce(new Error("no line"));
    open(ForgotScreen, "/forgot");
    type("Email", "ana");
    await press("Send Reset Link");
    expect(screen.getByRole("alert").textContent).toBe("Please enter a valid email address.");
    expect(screen.getByLabelText("Email").getAttribute("aria-invalid")).toBe("true");
    await press("Send Reset Link");
    expect(screen.getByRole("alert").textContent).toBe(
      "The link could not be sent just now. Please try again.",
    );
    expect(screen.getByRole("status").textContent).toBe("");
  });
});

describe("a new password", () => {
  test("is sent once, only by a press, and leads to the log-in", async () => {
    let done = (): void => undefined;
    resetPassword.mockReturnValue(new Promise((resolve) => (done = resolve)));
    const page = open(ResetScreen, `/reset#${TOKEN}`);
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Choose a new password");
    expect(location.hash).toBe("");
    expect(screen.getByLabelText("New password").getAttribute("autocomplete")).toBe("new-password");
    expect(resetPassword).not.toHaveBeenCalled();
    type("New password", "three new words");
    const button = screen.getByRole("button", { name: "Save Password" });
    fireEvent.click(button);
    fireEvent.click(button);
    expect(resetPassword).toHaveBeenCalledTimes(1);
    expect(resetPassword).toHaveBeenCalledWith({
      key: expect.any(ArrayBuffer),
      token: TOKEN,
      password: "three new words",
      remove_passkeys: false,
    });
    await act(async () => done());
    expect(page.at()).toBe("/login");
    expect(toastList.get()).toMatchObject([{ message: "Password changed. Please log in.", error: false }]);
  });

  test("that is too weak shows an error beside the field; a retry has the same key, another password a new one", async () => {
    resetPassword
      .mockRejectedValueOnce(no("weak_password", "That password is too easy to guess.", "password"))
      .mockRejectedValue(no("timeout"));
    open(ResetScreen, `/reset#${TOKEN}`);
    type("New password", "password123");
    await press("Save Password");
    expect(screen.getByRole("alert").textContent).toBe("That password is too easy to guess.");
    expect(screen.getByLabelText("New password").getAttribute("aria-invalid")).toBe("true");
    type("New password", "three new words");
    expect(screen.queryByRole("alert")).toBeNull();
    await press("Save Password");
    expect(screen.getByRole("alert").textContent).toBe(
      "Your password could not be changed just now. Please try again.",
    );
    await press("Save Password");
    const keys = resetPassword.mock.calls.map(([{ key }]) => key);
    expect(keys[2]).toBe(keys[1]);
    expect(keys[1]).not.toBe(keys[0]);
  });

  describe("d-v3: for an account", () => {
    const box = () => screen.queryByRole<HTMLInputElement>("checkbox", { name: "Remove my passkeys too" });
    const shows = async (passkeys: number): Promise<void> => {
      havePasskeys();
      askAsGuest.mockResolvedValue({ passkeys } as never);
      open(ResetScreen, `/reset#${TOKEN}`);
      await act(async () => undefined);
    };
    const sent = () => resetPassword.mock.calls.map(([{ remove_passkeys }]) => remove_passkeys);
    afterEach(() => noPasskeys());

    test("with passkeys keeps them, unless the box is ticked, which is another request", async () => {
      resetPassword.mockRejectedValue(no("timeout"));
      await shows(2);
      expect(askAsGuest.mock.calls).toEqual([["auth.reset_passkeys", { token: TOKEN }]]);
      expect(box()?.checked).toBe(false);
      type("New password", "three new words");
      await press("Save Password");
      fireEvent.click(screen.getByRole("checkbox"));
      await press("Save Password");
      expect(sent()).toEqual([false, true]);
      const [first, second] = resetPassword.mock.calls.map(([{ key }]) => key);
      expect(second).not.toBe(first);
    });

    test("without passkeys has no box", async () => {
      await shows(0);
      expect(box()).toBeNull();
    });

    test("at an address without passkeys asks nothing", async () => {
      open(ResetScreen, `/reset#${TOKEN}`);
      await act(async () => undefined);
      expect(askAsGuest).not.toHaveBeenCalled();
      expect(box()).toBeNull();
    });
  });

  test("with a used or missing token leads to the page for a new link", async () => {
    resetPassword.mockRejectedValue(no("link_expired", "This link has expired."));
    open(ResetScreen, `/reset#${TOKEN}`);
    type("New password", "three new words");
    await press("Save Password");
    const expired = (): void => {
      expect(screen.getByText("This link has expired.")).toBeDefined();
      expect(screen.queryByLabelText("New password")).toBeNull();
      expect(screen.getByRole("link").getAttribute("href")).toBe("/forgot");
    };
    expired();
    cleanup();
    open(ResetScreen, "/reset");
    expired();
  });
});

describe("a change of the email address", () => {
  test.each([
    [
      `/verify#${TOKEN}`,
      "Confirm your new email",
      "Confirm Email",
      "Your email is updated.",
      "auth.confirm_email",
    ],
    [
      `/verify#undo-${TOKEN}`,
      "Undo the email change",
      "Keep my old email",
      "Your old email is back.",
      "auth.undo_email",
    ],
  ])("%s: asks first, and happens by a press", async (path, heading, button, done, op) => {
    open(VerifyScreen, path);
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe(heading);
    expect(location.hash).toBe("");
    expect(askAsGuest).not.toHaveBeenCalled();
    await press(button);
    expect(askAsGuest).toHaveBeenCalledWith(op, { key: expect.any(ArrayBuffer), token: TOKEN });
    expect(screen.getByText(done)).toBeDefined();
    expect(screen.queryByRole("button", { name: button })).toBeNull();
  });

  test("shows why it failed: no connection, address taken meanwhile, or link expired", async () => {
    askAsGuest
      .mockRejectedValueOnce(no("timeout"))
      .mockRejectedValueOnce(no("email_taken", "This email is already in use. Please use a different email."))
      .mockRejectedValueOnce(no("link_expired"));
    open(VerifyScreen, `/verify#${TOKEN}`);
    await press("Confirm Email");
    expect(screen.getByRole("alert").textContent).toBe("That did not work just now. Please try again.");
    await press("Confirm Email");
    expect(screen.getByRole("alert").textContent).toBe(
      "This email is already in use. Please use a different email.",
    );
    await press("Confirm Email");
    expect(screen.getByText("This link has expired.")).toBeDefined();
  });
});

describe("an invitation", () => {
  const signups = (content: "invite" | "closed"): void => {
    document.head.append(Object.assign(document.createElement("meta"), { name: "mellow:signup", content }));
  };
  afterEach(() => document.head.querySelector("meta[name]")?.remove());
  const Invited = () => <InviteScreen code="abc" />;
  const h1 = () => screen.findByRole("heading", { level: 1 });

  test("says who made it, and links to the sign-up with it", async () => {
    askAsGuest.mockResolvedValue({ name: "Zoë", user_id: null });
    open(Invited, "/invite/abc");
    expect((await h1()).textContent).toBe("Zoë invites you to Mellow");
    expect(askAsGuest).toHaveBeenCalledWith("invites.get", { code: "abc" });
    expect(screen.getByRole("link", { name: "Sign Up" }).getAttribute("href")).toBe("/signup?invite=abc");
    expect(screen.getByRole("link", { name: "Log In" })).toBeDefined();
  });

  test("and the sign-up by it show initials, no photo, and what is inside", async () => {
    askAsGuest.mockResolvedValue({ name: "Zoë Lind", user_id: null });
    const shows = () => {
      expect(screen.getAllByRole("listitem").map((line) => line.textContent)).toEqual([
        "Newest first. Nothing is ranked.",
        "No numbers to chase.",
        "It ends. Then you can go.",
      ]);
      expect(screen.getByText("ZL")).toBeDefined();
      expect(document.querySelector("img")).toBeNull();
    };
    open(() => <InviteScreen code="fresh" />, "/invite/fresh");
    await h1();
    shows();
    cleanup();
    // What the page of the invitation has read is not read again.
    open(SignupScreen, "/signup?invite=fresh");
    expect(screen.getByText("Zoë Lind invites you to Mellow")).toBeDefined();
    expect(screen.getByLabelText("Email")).toBeDefined();
    shows();
    expect(askAsGuest).toHaveBeenCalledTimes(1);
    cleanup();
    // Without an invitation nothing is said about one.
    open(SignupScreen, "/signup");
    expect(screen.queryByRole("listitem")).toBeNull();
  });

  test("whose reading fails leaves the sign-up open to everybody, without a name", async () => {
    askAsGuest.mockRejectedValue(new Error("no line"));
    open(SignupScreen, "/signup?invite=unread");
    expect(await screen.findByLabelText("Email")).toBeDefined();
    expect(screen.queryByText(/invites you/)).toBeNull();
  });

  test("names nobody if the host made it", async () => {
    askAsGuest.mockResolvedValue({ name: null, user_id: null });
    open(Invited, "/invite/abc");
    expect((await h1()).textContent).toBe("You are invited to Mellow");
  });

  test("shows a signed-in user a link to the profile of who made it", async () => {
    is("signed-in");
    askAsGuest.mockResolvedValue({ name: "Zoë", user_id: 7 });
    open(Invited, "/invite/abc");
    expect(await screen.findByText("You already have an account here.")).toBeDefined();
    expect(screen.getByRole("link", { name: "Zoë" }).getAttribute("href")).toBe("/profile/7");
    expect(screen.queryByRole("link", { name: "Sign Up" })).toBeNull();
  });

  test("can be read again after a failure, and says if it has expired", async () => {
    askAsGuest.mockRejectedValueOnce(new Error("no line")).mockRejectedValue(no("invite_expired"));
    open(Invited, "/invite/abc");
    await act(async () => undefined);
    expect(screen.queryByRole("heading")).toBeNull();
    fireEvent.click(screen.getByRole("button"));
    expect((await h1()).textContent).toBe("This invite has expired.");
    expect(screen.getByRole("link", { name: "Log In" })).toBeDefined();
  });

  test("is needed for the form if the host requires invitations", async () => {
    signups("invite");
    open(SignupScreen, "/signup");
    expect(screen.getByText("You need an invitation to sign up here.")).toBeDefined();
    expect(screen.queryByLabelText("Email")).toBeNull();
    expect(askAsGuest).not.toHaveBeenCalled();
    cleanup();
    askAsGuest.mockRejectedValueOnce(no("invite_expired"));
    open(SignupScreen, "/signup?invite=old");
    expect(await screen.findByText("You need an invitation to sign up here.")).toBeDefined();
    cleanup();
    askAsGuest.mockResolvedValueOnce({ name: "Zoë", user_id: null });
    // The code may also be in `next`, after the page of the invitation and a button in the header.
    open(SignupScreen, "/signup?next=%2Finvite%2Fother");
    expect(await screen.findByLabelText("Email")).toBeDefined();
    expect(askAsGuest).toHaveBeenLastCalledWith("invites.get", { code: "other" });
  });

  test("does not show the form if sign-ups are closed", async () => {
    signups("closed");
    open(SignupScreen, "/signup?invite=abc");
    expect(screen.getByText("This Mellow isn't open to new people right now.")).toBeDefined();
    expect(screen.queryByLabelText("Email")).toBeNull();
    cleanup();
    askAsGuest.mockRejectedValue(no("invite_expired"));
    open(Invited, "/invite/abc");
    expect((await h1()).textContent).toBe("This invite has expired.");
  });

  test("leads to the new profile after the sign-up", () => {
    is("guest");
    const page = open(SignupScreen, "/signup?next=%2Finvite%2Fabc");
    act(() => is("signed-in"));
    expect(page.at()).toBe("/profile/1");
  });
});
