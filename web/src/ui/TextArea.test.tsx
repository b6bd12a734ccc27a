import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, test, vi } from "vitest";

/** Renders a box whose text is 24 pixels high for each line, in a browser that knows `field-sizing` or not. */
async function show(knows: boolean) {
  vi.resetModules();
  vi.stubGlobal("CSS", { supports: () => knows });
  Object.defineProperty(HTMLTextAreaElement.prototype, "scrollHeight", {
    configurable: true,
    get(this: HTMLTextAreaElement) {
      return 24 * this.value.split("\n").length;
    },
  });
  const { TextArea } = await import("./TextArea");
  const view = render(<TextArea aria-label="Text" value="one" readOnly />);
  const box = screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Text" });
  const write = (value: string) => view.rerender(<TextArea aria-label="Text" value={value} readOnly />);
  return { box, write };
}

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  Reflect.deleteProperty(HTMLTextAreaElement.prototype, "scrollHeight");
});

describe("a text box", () => {
  test("grows and shrinks with its text, where the browser does not do it", async () => {
    const { box, write } = await show(false);
    expect(box.style.height).toBe("24px");
    write("one\ntwo\nthree");
    expect(box.style.height).toBe("72px");
    write("");
    expect(box.style.height).toBe("24px");
  });

  test("is left to a browser that does it", async () => {
    const { box } = await show(true);
    expect(box.style.height).toBe("");
  });
});
