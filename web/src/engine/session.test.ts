import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Client } from "./client";
import { HINT } from "./loginHint";

const start = vi.fn();
const logIn = vi.fn();
let fetched = 0;
const load = (): Promise<{ client: Client }> => {
  fetched += 1;
  return Promise.resolve({ client: { start, login: { logIn } } as unknown as Client });
};

/** Opens a page. */
async function aPage() {
  vi.resetModules();
  return { session: await import("./session"), store: (await import("./store")).store };
}

beforeEach(() => {
  document.cookie = "mellow-user=; Path=/; Max-Age=0";
  fetched = 0;
  start.mockReset();
  localStorage.clear();
});
afterEach(() => localStorage.clear());

test("d-m10: a guest's page loads no connection code until the user is about to log in", async () => {
  const { session, store } = await aPage();
  session.startSession(load);
  expect(store.getState().session).toEqual({ phase: "guest", me: null });
  expect(fetched).toBe(0);
  session.preloadClient();
  await vi.waitFor(() => expect(start).toHaveBeenCalledTimes(1));
  await session.logIn("ana@example.org", "a long password");
  expect(logIn).toHaveBeenCalledWith("ana@example.org", "a long password");
  expect(start).toHaveBeenCalledTimes(1);
});

test("with the hint the connection code is loaded at once, with the app's features", async () => {
  document.cookie = "mellow-user=7; Path=/";
  const { session, store } = await aPage();
  const options = { navigate: () => undefined };
  session.startSession(load, options);
  expect(store.getState().session.phase).toBe("unknown");
  await vi.waitFor(() => expect(start).toHaveBeenCalledWith(options));
});

test("d-u6: a page that is opened on /away fetches the connection code only when it is left", async () => {
  document.cookie = "mellow-user=7; Path=/";
  const { session, store } = await aPage();
  session.startSession(load, {}, true);
  localStorage.setItem(HINT, "7");
  dispatchEvent(new StorageEvent("storage", { key: HINT }));
  expect(store.getState().session.phase).toBe("unknown");
  expect(fetched).toBe(0);
  session.fetchClient();
  await vi.waitFor(() => expect(start).toHaveBeenCalledTimes(1));
});

test("a guest's page notices a log-in in another tab", async () => {
  const { session } = await aPage();
  session.startSession(load);
  dispatchEvent(new StorageEvent("storage", { key: "mellow.theme" }));
  expect(fetched).toBe(0);
  localStorage.setItem(HINT, "7");
  dispatchEvent(new StorageEvent("storage", { key: HINT }));
  await vi.waitFor(() => expect(start).toHaveBeenCalledTimes(1));
});

test("a page that is opened after a log-out without a network is a guest's, and finishes the log-out", async () => {
  localStorage.setItem(HINT, "leaving");
  const { session, store } = await aPage();
  session.startSession(load);
  expect(store.getState().session.phase).toBe("guest");
  await vi.waitFor(() => expect(start).toHaveBeenCalledTimes(1));
});
