import { readFileSync } from "node:fs";
import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { CharCounter } from "./CharCounter";

test("a counter is seen only once something is typed, and has its place before", () => {
  const { rerender } = render(<CharCounter count={0} max={500} />);
  const counter = screen.getByText("0/500");
  expect(counter.matches("[data-none]")).toBe(true);
  expect(readFileSync("src/ui/CharCounter.module.css", "utf8")).toMatch(
    /\[data-none\] \{\s*opacity: 0;\s*\}/u,
  );
  rerender(<CharCounter count={1} max={500} />);
  expect(screen.getByText("1/500").matches("[data-none]")).toBe(false);
});
