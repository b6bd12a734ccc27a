import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { emptyState } from "../../../engine/feature";
import type { Me } from "../../../engine/types.gen";
import { store, update } from "../../../engine/store";
import { chooseLanguage, chosenBy, keepChoice } from "../../../languages";
import { languageNow } from "../../../say";
import { aMe } from "../../../testing/fixtures";
import { followLanguage, setLanguageOfAccount } from "./account";

const { ask } = vi.hoisted(() => ({ ask: vi.fn() }));
vi.mock("../../../engine/client", () => ({ ask }));

const signedIn = (more: Partial<Me>) =>
  update((s) => ({ ...s, session: { phase: "signed-in", me: aMe(more) } }));
const settle = () => new Promise((resolve) => setTimeout(resolve, 0));
const taken = ({ language, shown }: { language: string | null; shown: string }) =>
  Promise.resolve({ language, shown_language: shown, seq: 1 });
let stop = () => undefined as void;

beforeEach(() => {
  vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ checked: [], words: {} })));
  ask.mockClear();
  ask.mockImplementation((_op: string, fields: { language: string | null; shown: string }) => taken(fields));
  update(() => emptyState());
  stop = followLanguage();
});

afterEach(async () => {
  stop();
  keepChoice("account", null);
  keepChoice("device", null);
  await chooseLanguage("device", "en");
  keepChoice("device", null);
  vi.unstubAllGlobals();
});

test("the account's choice comes to this device, and goes when it logs out", async () => {
  await chooseLanguage("device", "de");
  signedIn({ language: "fr" });
  await settle();
  expect([languageNow(), chosenBy("account"), chosenBy("device")]).toEqual(["fr", "fr", "de"]);
  expect(ask).not.toHaveBeenCalled();
  update((s) => ({ ...s, session: { phase: "guest", me: null } }));
  await settle();
  expect([languageNow(), chosenBy("account")]).toEqual(["de", null]);
});

test("an account without a choice learns once what this device shows", async () => {
  signedIn({ shown_language: "pl" });
  await settle();
  expect(ask).toHaveBeenCalledWith(
    "profiles.language",
    expect.objectContaining({ language: null, shown: "en" }),
  );
  expect(store.getState().session.me?.shown_language).toBe("en");
  signedIn({ shown_language: "pl", has_unread: true });
  await settle();
  expect(ask).toHaveBeenCalledTimes(1);
});

test("a choice is not undone by an older word of the server, and a refused one is undone", async () => {
  signedIn({ language: "fr" });
  await settle();
  let answer = (_: unknown) => undefined as void;
  ask.mockImplementation(() => new Promise((resolve) => (answer = resolve)));
  const chosen = setLanguageOfAccount("de");
  await settle();
  signedIn({ language: "fr", has_unread: true });
  await settle();
  expect(languageNow()).toBe("de");
  answer({ language: "de", shown_language: "de", seq: 2 });
  await chosen;
  expect([languageNow(), store.getState().session.me?.language]).toEqual(["de", "de"]);

  ask.mockImplementation(() => Promise.reject(new Error("Slowly, please.")));
  await expect(setLanguageOfAccount("ja")).rejects.toThrow("Slowly");
  await settle();
  expect([languageNow(), chosenBy("account")]).toEqual(["de", "de"]);
});

test("of several quick choices only the last one is sent", async () => {
  signedIn({ language: "fr" });
  await settle();
  await Promise.all(["de", "es", "uk"].map((tag) => setLanguageOfAccount(tag)));
  expect(ask.mock.calls.map(([, fields]) => (fields as { language: string }).language)).toEqual(["uk"]);
  expect(languageNow()).toBe("uk");
});
