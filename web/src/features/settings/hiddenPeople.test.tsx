import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { apply } from "../../engine/apply";
import { store, update } from "../../engine/store";
import { anasFeed, BEN } from "../../testing/fixtures";
import { answer, ask, asked, refuse } from "../../testing/mockClient";
import { toastList } from "../../ui/toast";
import { HiddenPeople } from "./HiddenPeople";
import { toasts } from "../../testing/toasts";

vi.mock("../../engine/client", () => import("../../testing/mockClient"));

const CLEO = { ...BEN, id: 3, name: "Cleo" };
const list = (name: string) => screen.getByRole("list", { name });
const press = (name: string) => act(async () => fireEvent.click(screen.getByRole("button", { name })));

beforeEach(() => {
  ask.mockReset();
  toastList.clear();
  store.setState(anasFeed([]), true);
});
afterEach(cleanup);

test("blocked and muted people are in two lists, with buttons to unblock and unmute them", async () => {
  answer({ "people.hidden": () => ({ blocked: [BEN], muted: [CLEO], seq: 10 }) }, 11);
  await act(async () => render(<HiddenPeople />));
  expect(within(list("Blocked people")).getByRole("listitem").textContent).toBe("BenUnblock");
  expect(within(list("Muted people")).getByRole("listitem").textContent).toBe("CleoUnmute");
  await press("Unblock");
  expect(asked("people.unblock")).toMatchObject([{ user_id: BEN.id }]);
  await press("Unmute");
  expect(asked("people.unmute")).toMatchObject([{ user_id: CLEO.id }]);
  expect(toasts()).toEqual(["User unblocked", "User unmuted"]);
});

test("the lists are read again after a change on another device", async () => {
  let blocked = [BEN];
  answer({ "people.hidden": () => ({ blocked, muted: [], seq: 10 }) }, 11);
  await act(async () => render(<HiddenPeople />));
  expect(screen.getByText("You have muted nobody.")).toBeTruthy();
  blocked = [];
  await act(async () =>
    update((s) => apply(s, { ev: "people.changed", user_id: BEN.id, blocked: false, muted: false, seq: 12 })),
  );
  expect(screen.getByText("You have blocked nobody.")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Unblock" })).toBe(null);
});

test("a person stays in the list with a message if the request is refused", async () => {
  answer(
    {
      "people.hidden": () => ({ blocked: [BEN], muted: [], seq: 10 }),
      "people.unblock": refuse("busy", "Later."),
    },
    11,
  );
  await act(async () => render(<HiddenPeople />));
  await press("Unblock");
  expect(toasts()).toEqual(["That didn't go through. Please try again."]);
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Unblock" }).disabled).toBe(false);
});

test("lists that could not be read can be read again", async () => {
  answer({ "people.hidden": refuse("busy", "Later.") }, 11);
  await act(async () => render(<HiddenPeople />));
  answer({ "people.hidden": () => ({ blocked: [], muted: [], seq: 10 }) }, 11);
  await press("Try again");
  expect(screen.getByText("You have blocked nobody.")).toBeTruthy();
});
