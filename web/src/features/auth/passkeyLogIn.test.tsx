import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import * as session from "../../engine/session";
import type { Me } from "../../engine/types.gen";
import { aMe } from "../../testing/fixtures";
import {
  OPTIONS,
  aCredential,
  credentials,
  havePasskeys,
  noPasskeys,
  stopped,
  suggests,
  waiting,
} from "../../testing/passkeys";
import { toasts } from "../../testing/toasts";
import { toastList } from "../../ui/toast";
import { PasskeyButton } from "./PasskeyButton";
import { CHALLENGE_MS, logInWithPasskey, suggestPasskeys } from "./passkeyLogIn";

const entered = vi.hoisted(() => vi.fn());
vi.mock("../../engine/client", () => ({ client: { login: { entered } } }));
vi.mock("../../engine/session", async (original) => ({
  ...(await original<typeof session>()),
  askAsGuest: vi.fn(),
}));

const askAsGuest = vi.mocked(session.askAsGuest);
const ana: Me = aMe({ id: 7 });
const UNKNOWN = "That passkey isn't known here. Please use your password.";
const unknown = () => new session.RefusedError("passkey_unknown", UNKNOWN);
/** What the server answers to a log-in. */
const answered = vi.fn();
const asked = (op: string) => askAsGuest.mock.calls.filter(([one]) => one === op).map(([, fields]) => fields);
const BEGIN = "auth.begin_passkey";
const LOG_IN = "auth.log_in_with_passkey";

beforeEach(() => {
  havePasskeys();
  toastList.clear();
  entered.mockReset().mockImplementation(async (_ticket: string, me: Me) => me);
  answered.mockReset().mockImplementation(async () => ({ ticket: "t1", me: ana }));
  askAsGuest.mockReset();
  let begun = 0;
  askAsGuest.mockImplementation((async (op: string) => {
    if (op === LOG_IN) return answered();
    begun += 1;
    return { challenge: `c${String(begun)}`, options: OPTIONS.get };
  }) as typeof session.askAsGuest);
});
afterEach(() => {
  cleanup();
  noPasskeys();
  vi.useRealTimers();
});

describe("d-v4: a log-in with a passkey", () => {
  const { signal } = new AbortController();

  test("sends what the device says, and enters as the person whom the server names", async () => {
    credentials.get.mockResolvedValue(aCredential());
    expect(await logInWithPasskey(null, signal)).toBe(ana);
    expect(asked(LOG_IN)).toEqual([
      { challenge: "c1", response: expect.stringContaining('"signature":"Bgc"'), user_id: null },
    ]);
    expect(entered).toHaveBeenCalledWith("t1", ana);
  });

  test("may be for one person alone", async () => {
    credentials.get.mockResolvedValue(aCredential());
    await logInWithPasskey(7, signal);
    expect(asked(LOG_IN)).toMatchObject([{ user_id: 7 }]);
  });

  test("that the person stops sends nothing", async () => {
    credentials.get.mockRejectedValue(stopped());
    expect(await logInWithPasskey(null, signal)).toBeNull();
    expect(asked(LOG_IN)).toEqual([]);
    expect(entered).not.toHaveBeenCalled();
  });
});

describe("d-v4: passkeys in the suggestions of a field", () => {
  const done = vi.fn();
  const failed = vi.fn();
  let end = new AbortController();
  const suggest = () => suggestPasskeys(end.signal, { done, failed });

  beforeEach(() => {
    vi.useFakeTimers();
    done.mockReset();
    failed.mockReset();
    end = new AbortController();
    suggests.mockResolvedValue(true);
  });

  test("ask the server for nothing in a browser that suggests none", async () => {
    suggests.mockResolvedValue(false);
    await suggest();
    expect(askAsGuest).not.toHaveBeenCalled();
  });

  test("log the person in who chooses one", async () => {
    credentials.get.mockResolvedValue(aCredential());
    await suggest();
    expect(credentials.get.mock.calls[0]?.[0]).toMatchObject({ mediation: "conditional" });
    expect(done).toHaveBeenCalledWith(ana);
  });

  test("have a new challenge before the server forgets the old one, and end with the page", async () => {
    credentials.get.mockImplementation(waiting);
    const suggesting = suggest();
    await vi.advanceTimersByTimeAsync(CHALLENGE_MS - 1);
    expect(asked(BEGIN)).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(asked(BEGIN)).toHaveLength(2);
    end.abort();
    await suggesting;
    await vi.advanceTimersByTimeAsync(10 * CHALLENGE_MS);
    expect(asked(BEGIN)).toHaveLength(2);
    expect([done, failed].flatMap(({ mock }) => mock.calls)).toEqual([]);
  });

  test("need no challenge while nobody looks at the page", async () => {
    credentials.get.mockImplementation(waiting);
    const seen = vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden");
    void suggest();
    await vi.advanceTimersByTimeAsync(10 * CHALLENGE_MS);
    expect(askAsGuest).not.toHaveBeenCalled();
    seen.mockReturnValue("visible");
    document.dispatchEvent(new Event("visibilitychange"));
    await vi.advanceTimersByTimeAsync(0);
    expect(asked(BEGIN)).toHaveLength(1);
    end.abort();
  });

  test("come again later if the server cannot be reached, and nothing is said", async () => {
    askAsGuest.mockRejectedValueOnce(new session.RefusedError("timeout", "That took too long."));
    credentials.get.mockImplementation(waiting);
    void suggest();
    await vi.advanceTimersByTimeAsync(CHALLENGE_MS - 1);
    expect(credentials.get).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(credentials.get).toHaveBeenCalledTimes(1);
    expect(failed).not.toHaveBeenCalled();
    end.abort();
  });

  test("come again at once after one that is not known here", async () => {
    answered.mockRejectedValueOnce(unknown());
    credentials.get.mockResolvedValueOnce(aCredential()).mockImplementation(waiting);
    void suggest();
    await vi.advanceTimersByTimeAsync(0);
    expect(failed.mock.calls).toEqual([[expect.objectContaining({ code: "passkey_unknown" })]]);
    expect(asked(BEGIN)).toHaveLength(2);
    end.abort();
  });
});

describe("d-v4: the button", () => {
  const onDone = vi.fn();
  const button = () => screen.queryByRole<HTMLButtonElement>("button", { name: "Log In with a Passkey" });
  const show = (userId: number | null = null, isSuggested = false) =>
    act(async () => void render(<PasskeyButton userId={userId} suggests={isSuggested} onDone={onDone} />));
  const press = () =>
    act(async () => {
      const found = button();
      if (found !== null) fireEvent.click(found);
    });

  beforeEach(() => onDone.mockReset());

  test.each([
    ["at another host name", () => havePasskeys("other.example")],
    ["in a browser without passkeys", () => Reflect.deleteProperty(window, "PublicKeyCredential")],
    ["if they are switched off", () => havePasskeys(null)],
  ])("is absent %s", async (_, how) => {
    how();
    await show();
    expect(button()).toBeNull();
    expect(askAsGuest).not.toHaveBeenCalled();
  });

  test("asks the browser, and then the person is in", async () => {
    credentials.get.mockResolvedValue(aCredential());
    await show(7);
    await press();
    await vi.waitFor(() => expect(onDone).toHaveBeenCalledWith(ana));
    expect(asked(LOG_IN)).toMatchObject([{ user_id: 7 }]);
    expect(credentials.get.mock.calls[0]?.[0]).toMatchObject({ mediation: "optional" });
  });

  test("says nothing if the person stops it", async () => {
    credentials.get.mockRejectedValue(stopped());
    await show();
    await press();
    await vi.waitFor(() => expect(button()?.disabled).toBe(false));
    expect(toasts()).toEqual([]);
  });

  test.each([
    ["of a passkey that is not known", unknown(), UNKNOWN],
    ["without a connection", new Error("no line"), "Error logging in. Please try again."],
  ])("says why it failed: %s", async (_, error, message) => {
    answered.mockRejectedValue(error);
    credentials.get.mockResolvedValue(aCredential());
    await show();
    await press();
    await vi.waitFor(() => expect(toasts()).toEqual([message]));
    expect(onDone).not.toHaveBeenCalled();
  });

  test("ends the suggestion before it asks, and the suggestion comes back if nothing came of it", async () => {
    suggests.mockResolvedValue(true);
    credentials.get.mockImplementation(waiting);
    await show(null, true);
    await vi.waitFor(() => expect(credentials.get).toHaveBeenCalledTimes(1));
    credentials.get.mockRejectedValueOnce(stopped());
    await press();
    await vi.waitFor(() => expect(credentials.get).toHaveBeenCalledTimes(3));
    const [before, asking, again] = credentials.get.mock.calls.map(([given]) => given);
    expect([before.mediation, asking.mediation, again.mediation]).toEqual([
      "conditional",
      "optional",
      "conditional",
    ]);
    expect([before.signal.aborted, again.signal.aborted]).toEqual([true, false]);
    cleanup();
    expect(again.signal.aborted).toBe(true);
  });
});
