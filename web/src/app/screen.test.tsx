import { act, render, screen as page } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { Boundary } from "./Boundary";
import { screen } from "./screen";

const Porch = ({ name }: { name: string }) => <h1>{name}</h1>;

test("a screen is shown at once if its code is loaded", async () => {
  const Late = screen(() => Promise.resolve({ default: Porch }));
  await Late.fetch();
  render(<Late name="Porch" />);
  expect(page.getByRole("heading", { name: "Porch" })).toBeDefined();
});

test("a screen is shown as soon as its code is loaded, whoever requested it", async () => {
  let come = (_file: { default: typeof Porch }): void => undefined;
  const file = new Promise<{ default: typeof Porch }>((resolve) => (come = resolve));
  const Late = screen(() => file);
  render(<Late name="Porch" />);
  expect(page.queryByRole("heading")).toBeNull();
  // React's `lazy` would wait a third of a second more.
  await act(async () => come({ default: Porch }));
  expect(page.getByRole("heading", { name: "Porch" })).toBeDefined();
});

test("a screen whose code failed to load says so, and the code is loaded again on the next visit", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const load = vi
    .fn<() => Promise<{ default: typeof Porch }>>()
    .mockRejectedValueOnce(new Error("no line"))
    .mockResolvedValue({ default: Porch });
  const Late = screen(load);
  const Place = ({ path }: { path: string }) => (
    <Boundary key={path}>{path === "/porch" ? <Late name="Porch" /> : null}</Boundary>
  );
  const { rerender } = render(<Place path="/porch" />);
  expect(await page.findByRole("alert")).toBeDefined();
  rerender(<Place path="/" />);
  rerender(<Place path="/porch" />);
  expect(await page.findByRole("heading", { name: "Porch" })).toBeDefined();
  vi.restoreAllMocks();
});
