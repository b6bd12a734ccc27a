import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { apply } from "../../engine/apply";
import { store, update } from "../../engine/store";
import { anasFeed } from "../../testing/fixtures";
import { RefusedError } from "../../engine/ask";
import { SearchPeople } from "./SearchPeople";
import { otherCase } from "./api";

const { ask, people } = vi.hoisted(() => ({ ask: vi.fn(), people: vi.fn() }));
vi.mock("../../engine/client", () => ({
  ask: (op: string, fields: unknown) => (op === "search.people" ? people(fields) : ask(op, fields)),
  client: { onScreen: () => () => undefined },
}));

const box = () => screen.getByRole("searchbox", { name: "Search by name" });
const found = (id: number, name: string, followed = false) => ({
  id,
  name,
  bio: "",
  photo_url: null,
  followed,
});
const open = () => render(<SearchPeople follow={() => <button>Follow</button>} />);
const type = (value: string) => fireEvent.change(box(), { target: { value } });
const enter = () => {
  const form = box().closest("form");
  if (form !== null) fireEvent.submit(form);
};

beforeEach(() => {
  ask.mockReset();
  people.mockReset().mockResolvedValue({ users: [], next: null, seq: 1 });
  store.setState(anasFeed([]), true);
});
afterEach(cleanup);

describe("search", () => {
  test("sends no search before a term is typed", () => {
    open();
    expect(screen.getByText("Who are you looking for?")).toBeTruthy();
    type("   ");
    enter();
    expect(ask).not.toHaveBeenCalled();
  });

  test("lists people by name, with long names and bios shortened", async () => {
    const name = `Ana ${"x".repeat(40)}`;
    ask.mockResolvedValue({
      users: [{ id: 5, name, bio: "y".repeat(80), photo_url: null, followed: false }],
      close: [],
      seq: 1,
    });
    open();
    type("Ana");
    enter();
    const results = within(await screen.findByRole("list", { name: "Results" }));
    const link = results.getByRole("link");
    expect(link.getAttribute("href")).toBe("/profile/5");
    expect([...(link.textContent ?? "")]).toHaveLength(30);
    expect(link.textContent?.endsWith("…")).toBe(true);
    expect(results.getByText(`${"y".repeat(59)}…`)).toBeTruthy();
  });

  test("finds nobody for a term longer than any name, without a request", async () => {
    open();
    type("x".repeat(20_000));
    enter();
    expect(await screen.findByText("Nobody by that name.")).toBeTruthy();
    expect(ask).not.toHaveBeenCalled();
  });

  test("starts after a short pause in typing", async () => {
    ask.mockResolvedValue({ users: [], close: [], seq: 1 });
    open();
    type("A");
    type("An");
    await vi.waitFor(() => expect(ask).toHaveBeenCalledTimes(1));
    expect(ask.mock.calls[0]).toMatchObject(["search.names", { term: "An" }]);
  });

  test("d-j3: explains how names match if nobody is found, and offers the other case", async () => {
    ask.mockResolvedValue({ users: [], close: [], seq: 1 });
    open();
    type("ana");
    enter();
    expect(await screen.findByText("Nobody by that name.")).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: 'Try "Ana"' }));
    await vi.waitFor(() => expect(ask).toHaveBeenLastCalledWith("search.names", { term: "Ana" }));
  });

  test("offers upper or lower case for each word, if the word has both", () => {
    expect(otherCase("Ana")).toBe("ana");
    expect(otherCase("ana lima")).toBe("Ana Lima");
    expect(otherCase("Ana Lima")).toBe("ana lima");
    expect(otherCase("ana Lima")).toBe("Ana Lima");
    expect(otherCase("ANA")).toBe("Ana");
    expect(otherCase("anne-marie")).toBe("Anne-Marie");
    expect(otherCase("élodie")).toBe("Élodie");
    expect(otherCase("ßen")).toBe(null);
    expect(otherCase("安娜")).toBe(null);
    expect(otherCase("123")).toBe(null);
  });

  test("has arrow keys between the box and the results, and Escape clears the box", async () => {
    ask.mockResolvedValue({ users: [found(2, "Ben"), found(3, "Bea")], close: [], seq: 1 });
    open();
    type("B");
    enter();
    const [ben, bea] = await screen.findAllByRole("link");
    box().focus();
    const press = (key: string) => fireEvent.keyDown(document.activeElement as Element, { key });
    press("ArrowDown");
    expect(document.activeElement).toBe(ben);
    press("ArrowDown");
    press("ArrowDown");
    expect(document.activeElement).toBe(bea);
    press("ArrowUp");
    press("ArrowUp");
    expect(document.activeElement).toBe(box());
    press("Escape");
    expect(screen.getByText("Who are you looking for?")).toBeTruthy();
    expect(screen.queryAllByRole("link")).toEqual([]);
  });

  test("leaves out the viewer, shows a new name at once, and removes a deleted user", async () => {
    ask.mockResolvedValue({
      users: [found(1, "Ana"), found(2, "Anton"), found(3, "Anja")],
      close: [],
      seq: 11,
    });
    open();
    type("An");
    enter();
    await screen.findByRole("link", { name: "Anja" });
    act(() =>
      update((s) =>
        apply(s, { ev: "users.changed", seq: 12, user: { id: 2, name: "Toni", photo_url: "/media/t" } }),
      ),
    );
    act(() => update((s) => apply(s, { ev: "users.deleted", seq: 13, user_id: 3 })));
    await vi.waitFor(() =>
      expect(screen.getAllByRole("link").map((link) => link.textContent)).toEqual(["Toni"]),
    );
  });

  test("shows the server's message if it is rate-limited, and is repeated by itself", async () => {
    ask.mockRejectedValueOnce(new RefusedError("slow_down", "A moment, please.", null, 5));
    let answer = (_reply: unknown): void => {};
    ask.mockReturnValueOnce(new Promise((resolve) => (answer = resolve)));
    open();
    type("Ben");
    enter();
    expect(await screen.findByText("A moment, please.")).toBeTruthy();
    answer({ users: [found(2, "Ben")], close: [], seq: 1 });
    expect(await screen.findByRole("link", { name: "Ben" })).toBeTruthy();
    expect(screen.queryByText("A moment, please.")).toBe(null);
  });

  test("d-p5: shows close matches below the results, and above the words that nobody has exactly this name", async () => {
    ask.mockResolvedValueOnce({
      users: [found(2, "Lindqvist")],
      close: [found(7, "Maya Lindqvist")],
      seq: 1,
    });
    open();
    type("Lind");
    enter();
    await screen.findByRole("list", { name: "Results" });
    expect(screen.getAllByRole("link").map((link) => link.textContent)).toEqual([
      "Lindqvist",
      "Maya Lindqvist",
    ]);
    expect(screen.queryByText("Nobody by that name.")).toBe(null);
    cleanup();

    ask.mockResolvedValue({ users: [], close: [found(7, "Maya Lindqvist")], seq: 1 });
    open();
    type("lind");
    enter();
    const nobody = await screen.findByText("Nobody by that name.");
    const heading = screen.getByRole("heading", { name: "Close matches" });
    expect(heading.compareDocumentPosition(nobody)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
    const close = within(screen.getByRole("list", { name: "Close matches" }));
    expect(close.getByRole("link", { name: "Maya Lindqvist" })).toBeTruthy();
    expect(close.getByRole("button", { name: "Follow" })).toBeTruthy();
    expect(screen.queryByRole("list", { name: "Results" })).toBe(null);
  });
});

describe("the list of people", () => {
  const list = () => within(screen.getByRole("list", { name: "People" }));

  test("is shown before a term is typed, page by page, with whether the viewer follows each", async () => {
    const next = { name_key: "ben", id: 2 };
    people.mockResolvedValueOnce({ users: [found(2, "Ben", true)], next, seq: 1 });
    people.mockResolvedValueOnce({ users: [found(3, "Cleo")], next: null, seq: 2 });
    open();
    expect(await screen.findByRole("heading", { name: "People" })).toBeTruthy();
    expect(store.getState().follows[2]?.following).toBe(true);
    fireEvent.click(screen.getByRole("button", { name: "Show more people" }));
    expect((await list().findByRole("link", { name: "Cleo" })).getAttribute("href")).toBe("/profile/3");
    expect(people).toHaveBeenLastCalledWith({ after: next });
    expect(screen.queryByRole("button", { name: "Show more people" })).toBe(null);
  });

  test("may be empty or absent", async () => {
    open();
    expect(await screen.findByText("Nobody is listed here yet.")).toBeTruthy();
    cleanup();
    people.mockRejectedValue(new RefusedError("not_found", "That isn't available.", null, null));
    open();
    await act(async () => undefined);
    expect(screen.getByText("Who are you looking for?")).toBeTruthy();
    expect(screen.queryByText("Nobody is listed here yet.")).toBe(null);
    expect(screen.queryByRole("button")).toBe(null);
  });
});
