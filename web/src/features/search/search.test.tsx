import { cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { SearchPeople } from "./SearchPeople";
import { otherCase } from "./slice";

const ask = vi.hoisted(() => vi.fn());
vi.mock("../../store/client", () => ({ ask }));

const box = () => screen.getByRole("searchbox", { name: "Search by name" });
const type = (value: string) => fireEvent.change(box(), { target: { value } });
const enter = () => {
  const form = box().closest("form");
  if (form !== null) fireEvent.submit(form);
};

beforeEach(() => {
  ask.mockReset();
});
afterEach(cleanup);

describe("search", () => {
  test("asks nothing before a word is typed", () => {
    render(<SearchPeople />);
    expect(screen.getByText("Who are you looking for?")).toBeTruthy();
    type("   ");
    enter();
    expect(ask).not.toHaveBeenCalled();
  });

  test("lists people by name, with long names and bios shortened", async () => {
    const name = `Ana ${"x".repeat(40)}`;
    ask.mockResolvedValue({ users: [{ id: 1, name, bio: "y".repeat(80) }], seq: 1 });
    render(<SearchPeople />);
    type("Ana");
    enter();
    const results = within(await screen.findByRole("list", { name: "Results" }));
    const link = results.getByRole("link");
    expect(link.getAttribute("href")).toBe("/profile/1");
    expect([...(link.textContent ?? "")]).toHaveLength(30);
    expect(link.textContent?.endsWith("…")).toBe(true);
    expect(results.getByText(`${"y".repeat(59)}…`)).toBeTruthy();
  });

  test("a term longer than any name finds nobody and asks nobody", async () => {
    render(<SearchPeople />);
    type("x".repeat(20_000));
    enter();
    expect(await screen.findByText("Nobody by that name.")).toBeTruthy();
    expect(ask).not.toHaveBeenCalled();
  });

  test("searches while typing, after a short rest", async () => {
    ask.mockResolvedValue({ users: [], seq: 1 });
    render(<SearchPeople />);
    type("A");
    type("An");
    await vi.waitFor(() => expect(ask).toHaveBeenCalledTimes(1));
    expect(ask.mock.calls[0]).toMatchObject(["search.names", { term: "An" }]);
  });

  test("d-j3: nobody: says how names match and offers the other case", async () => {
    ask.mockResolvedValue({ users: [], seq: 1 });
    render(<SearchPeople />);
    type("ana");
    enter();
    expect(await screen.findByText("Nobody by that name.")).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: 'Try "Ana"' }));
    await vi.waitFor(() => expect(ask).toHaveBeenLastCalledWith("search.names", { term: "Ana" }));
    expect(otherCase("Ana")).toBe("ana");
    expect(otherCase("1a")).toBe(null);
  });
});
