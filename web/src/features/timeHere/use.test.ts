import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { watchUse } from "./use";

const used = vi.fn();
let end = (): void => undefined;

const happens = (kind: string, more: object = {}): void => {
  document.body.dispatchEvent(Object.assign(new Event(kind, { bubbles: true }), more));
};
const isInSight = (yes: boolean): void => {
  vi.spyOn(document, "visibilityState", "get").mockReturnValue(yes ? "visible" : "hidden");
};
const isHigh = (pixels: number): void => {
  vi.spyOn(document.documentElement, "scrollHeight", "get").mockReturnValue(pixels);
};

beforeEach(() => {
  used.mockReset();
  isInSight(true);
  end = watchUse(used);
});
afterEach(() => {
  end();
  vi.restoreAllMocks();
});

test("a key, a press, the wheel and a pointer that moves are uses of the tab", () => {
  for (const kind of ["keydown", "pointerdown", "wheel"]) happens(kind);
  happens("pointermove", { screenX: 1, screenY: 1 });
  expect(used).toHaveBeenCalledTimes(4);
});

test("a tab that is not in sight is not used", () => {
  isInSight(false);
  for (const kind of ["keydown", "pointerdown", "wheel", "scroll"]) happens(kind);
  expect(used).not.toHaveBeenCalled();
});

test("a pointer at rest is no use, although the page moves below it", () => {
  for (let n = 0; n < 3; n += 1) happens("pointermove", { screenX: 40, screenY: 50 });
  expect(used).toHaveBeenCalledTimes(1);
  happens("pointermove", { screenX: 41, screenY: 50 });
  expect(used).toHaveBeenCalledTimes(2);
});

test("scrolling is a use, unless the page scrolls because it became higher", () => {
  isHigh(1_000);
  happens("scroll");
  expect(used).not.toHaveBeenCalled();
  happens("scroll");
  expect(used).toHaveBeenCalledTimes(1);
  isHigh(1_200);
  happens("scroll");
  expect(used).toHaveBeenCalledTimes(1);
});

test("nothing is noticed after the end", () => {
  end();
  happens("keydown");
  expect(used).not.toHaveBeenCalled();
});
