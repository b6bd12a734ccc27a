import { readFileSync } from "node:fs";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { prefersStill, setMotion, setTheme, startAppearance, watchLook } from "./appearance";

const root = document.documentElement;
const metas = (): string[] =>
  [...document.head.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')].map(
    (meta) => meta.content,
  );
const themeColor = (content: string, scheme: string): HTMLMetaElement => {
  const meta = document.createElement("meta");
  meta.setAttribute("name", "theme-color");
  meta.setAttribute("content", content);
  meta.setAttribute("media", `(prefers-color-scheme: ${scheme})`);
  return meta;
};
const fromElsewhere = (key: string, value: string | null): void => {
  if (value === null) localStorage.removeItem(key);
  else localStorage.setItem(key, value);
  dispatchEvent(new StorageEvent("storage", { key, newValue: value }));
};

beforeEach(() => {
  localStorage.clear();
  document.head.replaceChildren(themeColor("#faf6f0", "light"), themeColor("#1a1714", "dark"));
  startAppearance();
});

describe("the appearance of the page", () => {
  test("follows the device until the user chooses another, and again after they choose the device", () => {
    expect(root.dataset["theme"]).toBeUndefined();
    setTheme("dark");
    expect(root.dataset["theme"]).toBe("dark");
    expect(metas()).toEqual(["#1a1714", "#1a1714"]);
    expect(localStorage.getItem("mellow.theme")).toBe("dark");
    setTheme("device");
    expect(root.dataset["theme"]).toBeUndefined();
    expect(metas()).toEqual(["#faf6f0", "#1a1714"]);
    expect(localStorage.getItem("mellow.theme")).toBeNull();
  });

  test("follows another tab's choice, and ignores unknown values", () => {
    const onChange = vi.fn();
    const stop = watchLook(onChange);
    fromElsewhere("mellow.motion", "reduced");
    expect(root.dataset["motion"]).toBe("reduced");
    expect(prefersStill()).toBe(true);
    expect(onChange).toHaveBeenCalled();
    fromElsewhere("mellow.motion", "wild");
    expect(root.dataset["motion"]).toBeUndefined();
    fromElsewhere("mellow.theme", "light");
    expect(root.dataset["theme"]).toBe("light");
    stop();
  });

  test("has full motion if the user chose it, whatever the device prefers", () => {
    vi.spyOn(globalThis, "matchMedia").mockImplementation(
      () => ({ matches: true, addEventListener: () => undefined }) as unknown as MediaQueryList,
    );
    setMotion("device");
    expect(prefersStill()).toBe(true);
    setMotion("full");
    expect(prefersStill()).toBe(false);
  });

  test("is the same before the first paint", () => {
    const early = readFileSync("src/theme/early.js", "utf8");
    for (const theme of ["light", "dark", "device", "wild", null])
      for (const motion of ["full", "reduced", "device", null]) {
        fromElsewhere("mellow.theme", theme);
        fromElsewhere("mellow.motion", motion);
        const chosen = { ...root.dataset };
        delete root.dataset["theme"];
        delete root.dataset["motion"];
        // Indirect eval runs it like a script of the page, in the window of this test.
        (0, eval)(early);
        expect({ ...root.dataset }).toEqual({ ...chosen, language: "en" });
      }
  });
});
