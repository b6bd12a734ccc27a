import { cleanup, render } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { KeepPlace } from "./KeepPlace";

const HEIGHT = 100;
const moves: number[] = [];

/** A list whose parts are `HEIGHT` high and whose first part is at `top`. */
function list(...names: string[]) {
  return (
    <KeepPlace>
      {names.map((name) => (
        <p key={name} data-place={name}>
          {name}
        </p>
      ))}
    </KeepPlace>
  );
}

let top = 0;

beforeEach(() => {
  top = 0;
  moves.length = 0;
  vi.spyOn(Element.prototype, "getBoundingClientRect").mockImplementation(function rect(this: Element) {
    const at = [...(this.parentElement?.children ?? [])].indexOf(this);
    return { top: top + at * HEIGHT, bottom: top + (at + 1) * HEIGHT } as DOMRect;
  });
  vi.spyOn(globalThis, "scrollBy").mockImplementation(
    ((to: ScrollToOptions) => void moves.push(to.top ?? 0)) as typeof scrollBy,
  );
});
afterEach(() => {
  cleanup();
  delete document.documentElement.dataset["kept"];
});

test("content that is added above does not move the visible content", () => {
  const { rerender } = render(list("b", "c"));
  rerender(list("a", "b", "c"));
  expect(moves).toEqual([HEIGHT]);
});

test("content that is added below moves nothing", () => {
  const { rerender } = render(list("a", "b"));
  rerender(list("a", "b", "c"));
  expect(moves).toEqual([]);
});

test("content that is removed above does not move the visible content that remains", () => {
  top = -150;
  const { rerender } = render(list("a", "b", "c", "d"));
  rerender(list("b", "c", "d"));
  expect(moves).toEqual([-HEIGHT]);
  rerender(list("x"));
  expect(moves).toEqual([-HEIGHT]);
});

test("a part marked `focused` keeps its place while it has the focus, and new content moves the rest", () => {
  const under = (...names: string[]) => (
    <KeepPlace>
      <input key="box" data-place="focused" />
      {names.map((name) => (
        <p key={name} data-place>
          {name}
        </p>
      ))}
    </KeepPlace>
  );
  const { container, rerender } = render(under("b"));
  rerender(under("a", "b"));
  expect(moves).toEqual([HEIGHT]);
  container.querySelector("input")?.focus();
  rerender(under("0", "a", "b"));
  expect(moves).toEqual([HEIGHT]);
});
