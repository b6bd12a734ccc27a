import { act, fireEvent, screen, within } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import { apply } from "../../engine/apply";
import { update } from "../../engine/store";
import type { PollView } from "../../engine/types.gen";
import { ANA, BEN, FAMILY, aGroup, toFamily } from "../../testing/fixtures";
import { answer, asked, refuse } from "../../testing/mockClient";
import { dialog, page, region, settle, show, titles, view, setUpPollsPage } from "../../testing/pollsPage";
import { toasts } from "../../testing/toasts";
import { GROUP_GONE } from "../shared/groups/useAudiences";

vi.mock("../../engine/client", () => import("../../testing/mockClient"));

setUpPollsPage();

describe("creating a poll", () => {
  const open = async () => {
    fireEvent.click(region().getByRole("button", { name: "Create Poll" }));
    await settle();
  };
  const box = (name: string) => dialog().getByRole<HTMLInputElement>("textbox", { name });
  const type = (name: string, value: string) => fireEvent.change(box(name), { target: { value } });
  const create = async () => {
    fireEvent.submit(box("Question").closest("form") as HTMLFormElement);
    await settle();
  };

  test("offers two to four answers", async () => {
    await show([]);
    await open();
    const names = () =>
      dialog()
        .getAllByRole("textbox")
        .map((one) => one.closest("div")?.querySelector("label")?.textContent);
    expect(names()).toEqual(["Question", "Option 1", "Option 2"]);
    expect(dialog().queryByRole("button", { name: /Remove option/u })).toBe(null);
    expect(box("Option 1").required && box("Question").required).toBe(true);
    expect(
      within(dialog().getByRole("combobox", { name: "Audience" }))
        .getAllByRole("option")
        .map((one) => one.textContent),
    ).toEqual(["Everyone here"]);
    fireEvent.click(dialog().getByRole("button", { name: "Add option" }));
    fireEvent.click(dialog().getByRole("button", { name: "Add option" }));
    await settle();
    expect(dialog().queryByRole("button", { name: "Add option" })).toBe(null);
    expect(document.activeElement).toBe(box("Option 4"));
    type("Option 4", "Water");
    fireEvent.click(dialog().getByRole("button", { name: "Remove option 3" }));
    expect(box("Option 3").value).toBe("Water");
    fireEvent.click(dialog().getByRole("button", { name: "Remove option 1" }));
    expect(dialog().queryByRole("button", { name: /Remove option/u })).toBe(null);
  });

  test("shows what is missing beside its box until it is corrected", async () => {
    await show([]);
    await open();
    await create();
    expect(dialog().getByRole("alert").textContent).toBe("Please enter a question");
    expect(box("Question").getAttribute("aria-invalid")).toBe("true");
    expect(document.activeElement).toBe(box("Question"));
    type("Question", "q".repeat(141));
    expect(dialog().queryByRole("alert")).toBe(null);
    expect(dialog().getByText("141/140")).toBeTruthy();
    await create();
    expect(dialog().getByRole("alert").textContent).toBe("Question must be 140 characters or less");
    type("Question", "Tea?");
    await create();
    expect(dialog().getByRole("alert").textContent).toBe("Please provide at least 2 options");
    type("Option 1", "Yes");
    expect(dialog().getByRole("alert").textContent).toBe("Please provide at least 2 options");
    type("Option 2", "n".repeat(41));
    expect(dialog().queryByRole("alert")).toBe(null);
    await create();
    expect(dialog().getByRole("alert").textContent).toBe("Each option must be 40 characters or less");
    expect(asked("polls.create")).toEqual([]);
  });

  test("sends trimmed text, and the poll is listed at once", async () => {
    await show([view(100)], {
      "polls.create": () => ({
        poll: view(101, { creator_id: ANA.id, question: "Tea?" }),
        users: [ANA],
        groups: [],
        seq: 11,
      }),
    });
    await open();
    type("Question", "  Tea? ");
    type("Option 1", " Yes");
    type("Option 2", "No ");
    fireEvent.click(dialog().getByRole("button", { name: "Add option" }));
    answer(
      {
        "polls.create": () => ({
          poll: view(101, { creator_id: ANA.id, question: "Tea?" }),
          users: [ANA],
          groups: [],
          seq: 11,
        }),
        "polls.list": () =>
          page([view(101, { creator_id: ANA.id, question: "Tea?" }), view(100)], { seq: 12 }),
      },
      10,
    );
    await create();
    expect(asked("polls.create")).toMatchObject([
      { question: "Tea?", options: ["Yes", "No"], audience: { type: "public" } },
    ]);
    expect(screen.queryByRole("dialog")).toBe(null);
    expect(titles()).toEqual(["Tea?", "question 100"]);
    await open();
    expect(box("Question").value).toBe("");
  });

  test("keeps text and key after a failure, also if the dialog is closed", async () => {
    await show([], { "polls.create": refuse("slow_down", "That was a lot for one day.", null, 60_000) });
    await open();
    type("Question", "Tea?");
    type("Option 1", "Yes");
    type("Option 2", "No");
    await create();
    expect(toasts()).toEqual(["Failed to create poll. Please try again."]);
    expect(dialog().getByRole("alert").textContent).toBe("That was a lot for one day. Your words are kept.");
    fireEvent.click(dialog().getByRole("button", { name: "Cancel" }));
    await open();
    expect([box("Question").value, box("Option 2").value]).toEqual(["Tea?", "No"]);
    await create();
    const [first, second] = asked("polls.create");
    expect([...new Uint8Array(first.key as ArrayBuffer)]).toEqual([
      ...new Uint8Array(second.key as ArrayBuffer),
    ]);
  });

  test("shows a refusal beside the box that it names", async () => {
    await show([], {
      "polls.create": refuse(
        "invalid",
        "Five open polls are as many as one person has at a time.",
        "question",
      ),
    });
    await open();
    type("Question", "Tea?");
    type("Option 1", "Yes");
    type("Option 2", "No");
    await create();
    expect(dialog().getByRole("alert").textContent).toBe(
      "Five open polls are as many as one person has at a time.",
    );
    expect(box("Question").getAttribute("aria-invalid")).toBe("true");
    expect(toasts()).toEqual([]);
  });

  describe("for a group", () => {
    const family = (...polls: PollView[]) =>
      show(polls, { "groups.list": () => ({ groups: [aGroup()], users: [ANA, BEN], seq: 10 }) });
    const select = () => dialog().getByRole<HTMLSelectElement>("combobox", { name: "Audience" });
    const options = () =>
      within(select())
        .getAllByRole("option")
        .map((one) => one.textContent);
    const goes = async () => {
      act(() => update((s) => apply(s, { ev: "groups.deleted", seq: 11, group_id: FAMILY.id })));
      await settle();
    };
    const filled = async () => {
      await open();
      type("Question", "Tea?");
      type("Option 1", "Yes");
      type("Option 2", "No");
      fireEvent.change(select(), { target: { value: String(FAMILY.id) } });
    };

    test("shares the poll with that group only", async () => {
      await family();
      await filled();
      expect(options()).toEqual(["Everyone here", "Family"]);
      await create();
      expect(asked("polls.create")).toMatchObject([{ audience: toFamily }]);
    });

    test("shares the poll with nobody else if the group is deleted meanwhile", async () => {
      await family();
      await filled();
      await goes();
      expect(options()).toEqual(["Everyone here", "A group that no longer exists"]);
      expect(select().selectedOptions[0]?.textContent).toBe("A group that no longer exists");
      await create();
      expect(asked("polls.create")).toEqual([]);
      expect(document.activeElement).toBe(select());
      expect(dialog().getByRole("alert").textContent).toBe(GROUP_GONE);
      fireEvent.change(select(), { target: { value: "everyone" } });
      expect(dialog().queryByRole("alert")).toBe(null);
      expect(box("Question").value).toBe("Tea?");
    });
  });
});
