import { afterEach, describe, expect, test, vi } from "vitest";

/** Opens a page whose browser refuses storage in this way. */
const ways: [string, () => void][] = [
  [
    "the getter throws, as where all cookies are blocked",
    () =>
      vi.spyOn(window, "localStorage", "get").mockImplementation(() => {
        throw new DOMException("blocked", "SecurityError");
      }),
  ],
  ["there is none", () => vi.spyOn(window, "localStorage", "get").mockReturnValue(null as never)],
  [
    "each method throws",
    () => {
      const storage = new Proxy({} as Storage, {
        get: () => () => {
          throw new DOMException("blocked", "SecurityError");
        },
      });
      vi.spyOn(window, "localStorage", "get").mockReturnValue(storage);
    },
  ],
];

async function aPage(): Promise<typeof import("./storage")> {
  vi.resetModules();
  return import("./storage");
}

afterEach(() => {
  vi.restoreAllMocks();
  localStorage.clear();
});

describe("text storage", () => {
  test.each(ways)("lasts as long as the page if %s", async (_, refuse) => {
    refuse();
    const { local, isStorageRefused } = await aPage();
    expect(local.getItem("mellow.a")).toBeNull();
    expect(local.setItem("mellow.a", "half a thought")).toBe(false);
    expect(local.getItem("mellow.a")).toBe("half a thought");
    expect(local.keys()).toEqual(["mellow.a"]);
    local.removeItem("mellow.a");
    expect(local.getItem("mellow.a")).toBeNull();
    expect(isStorageRefused()).toBe(true);
  });

  test("holds the newest text on this page if it is full, and stores it again when there is space", async () => {
    const { local, isStorageRefused } = await aPage();
    expect(local.setItem("mellow.a", "old")).toBe(true);
    expect(isStorageRefused()).toBe(false);
    const { localStorage: storage } = window;
    const full = vi.spyOn(window, "localStorage", "get").mockReturnValue({
      getItem: (key: string) => storage.getItem(key),
      setItem: () => {
        throw new DOMException("full", "QuotaExceededError");
      },
    } as unknown as Storage);
    expect(local.setItem("mellow.a", "new")).toBe(false);
    expect(local.getItem("mellow.a")).toBe("new");
    full.mockRestore();
    expect(local.setItem("mellow.a", "newest")).toBe(true);
    expect([local.getItem("mellow.a"), localStorage.getItem("mellow.a")]).toEqual(["newest", "newest"]);
  });
});

describe("the database", () => {
  const open = vi.fn();
  const databases: [string, unknown][] = [
    ["there is none", undefined],
    ["opening it throws", { open }],
    ["opening it fails", { open: () => failing() }],
  ];
  open.mockImplementation(() => {
    throw new DOMException("blocked", "SecurityError");
  });
  function failing(): IDBOpenDBRequest {
    const request = { onerror: null, error: new DOMException("blocked") } as unknown as IDBOpenDBRequest;
    queueMicrotask(() => request.onerror?.(new Event("error")));
    return request;
  }

  test.each(databases)("keeps nothing and stops nothing if %s", async (_, database) => {
    vi.stubGlobal("indexedDB", database);
    const { isStorageRefused } = await aPage();
    const { browserDatabase } = await import("./app/offline/database");
    const { browserPictureStore } = await import("./features/drafts/pictureStore");
    // No call throws, also not before its first await.
    await browserDatabase.put("1/feed", {});
    await browserDatabase.drop(["1/feed"]);
    expect(await browserDatabase.read(() => true)).toEqual([]);
    expect(await browserPictureStore.put(1, "a", new Blob())).toBe(false);
    expect(await browserPictureStore.get(1, ["a"])).toEqual(new Map());
    await browserPictureStore.tidy(1, () => []);
    expect(isStorageRefused()).toBe(true);
    vi.unstubAllGlobals();
  });
});
