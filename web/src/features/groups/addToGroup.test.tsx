import { act, fireEvent, render, screen } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import { apply } from "../../engine/apply";
import { update } from "../../engine/store";
import type { Group } from "../../engine/types.gen";
import { ANA, BEN, aGroup, aProfile } from "../../testing/fixtures";
import {
  CLEO,
  DAN,
  FAMILY,
  WALKS,
  server,
  settle,
  show,
  article,
  dialog,
  press,
  type,
  rows,
  setUpGroupsPage,
} from "../../testing/groupsPage";
import { toasts } from "../../testing/toasts";
import type { Answers } from "../../testing/mockClient";
import { asked, refuse } from "../../testing/mockClient";
import { AddToGroup } from "./AddToGroup";

vi.mock("../../engine/client", () => import("../../testing/mockClient"));

setUpGroupsPage();

/** Returns the sentence beside a checkbox that cannot be changed; undefined if there is none. */
const reason = (name: string) => {
  const box = dialog("Add to Group").getByRole("checkbox", { name });
  return document.getElementById(box.getAttribute("aria-describedby") ?? "")?.textContent;
};

describe("Add to Group, opened from a group", () => {
  const boxes = () => dialog("Add to Group").getAllByRole<HTMLInputElement>("checkbox");
  const named = (name: string) => dialog("Add to Group").getByRole<HTMLInputElement>("checkbox", { name });

  test("offers the viewer's followers; members are checked", async () => {
    await show([FAMILY], {
      "groups.add": () => ({ group_id: 50, users: [CLEO], members_count: 3, seq: 11 }),
    });
    await press(article("Family"), "Add to Group");
    expect(asked("groups.candidates").map(({ group_id }) => group_id)).toEqual([50]);
    expect(boxes()).toHaveLength(2);
    expect([named("Ben").checked, named("Ben").disabled]).toEqual([true, true]);
    expect([reason("Ben"), reason("Cleo")]).toEqual(["Already in this group", undefined]);
    expect(named("Cleo").checked).toBe(false);
    const add = dialog("Add to Group").getByRole<HTMLButtonElement>("button", { name: "Add" });
    expect(add.disabled).toBe(true);
    fireEvent.click(named("Cleo"));
    expect(add.disabled).toBe(false);
    await press(dialog("Add to Group"), "Add");
    expect(asked("groups.add").map(({ user_ids }) => user_ids)).toEqual([[CLEO.id]]);
    expect(toasts()).toEqual(["Successfully added 1 user(s) to Family"]);
    expect(screen.queryByRole("dialog")).toBe(null);
    expect(rows("Family")).toEqual(["AnaOwner", "BenRemove", "CleoRemove"]);
    expect(document.activeElement?.textContent).toBe("Add to Group");
  });

  test("reads followers page by page, and keeps the selection", async () => {
    await show([FAMILY], {
      "groups.candidates": ({ before }) =>
        before === null ? { users: [CLEO], older: 5, seq: 10 } : { users: [DAN], older: null, seq: 10 },
    });
    await press(article("Family"), "Add to Group");
    fireEvent.click(named("Cleo"));
    await press(dialog("Add to Group"), "Show more");
    await settle();
    expect(document.activeElement).toBe(named("Dan"));
    expect(named("Cleo").checked).toBe(true);
    expect(boxes()).toHaveLength(2);
  });

  test("checks a user who was added meanwhile, and does not send them", async () => {
    await show([FAMILY]);
    await press(article("Family"), "Add to Group");
    fireEvent.click(named("Cleo"));
    act(() =>
      update((s) =>
        apply(s, {
          ev: "groups.joined",
          seq: 12,
          group: { ...FAMILY, members_count: 3 },
          user_ids: [3],
          users: [CLEO, ANA],
        }),
      ),
    );
    expect([named("Cleo").checked, named("Cleo").disabled]).toEqual([true, true]);
    expect(
      dialog("Add to Group").getByText("Everyone who follows you and can be added is in this group."),
    ).toBeTruthy();
    expect(dialog("Add to Group").getByRole<HTMLButtonElement>("button", { name: "Add" }).disabled).toBe(
      true,
    );
  });

  test("says that there is nobody to add", async () => {
    await show([FAMILY], { "groups.candidates": () => ({ users: [], older: null, seq: 10 }) });
    await press(article("Family"), "Add to Group");
    expect(
      dialog("Add to Group").getByText(
        "Nobody who follows you can be added. People you follow can be added from their profile.",
      ),
    ).toBeTruthy();
  });

  test("keeps the selection after a refusal, and says why", async () => {
    await show([FAMILY], {
      "groups.add": refuse("invalid", "A group can't have that many members.", "user_ids"),
    });
    await press(article("Family"), "Add to Group");
    fireEvent.click(named("Cleo"));
    await press(dialog("Add to Group"), "Add");
    expect(dialog("Add to Group").getByRole("alert").textContent).toBe(
      "A group can't have that many members.",
    );
    expect(named("Cleo").checked).toBe(true);
    server([FAMILY], { "groups.add": refuse("busy", "", null, 1_000) });
    await press(dialog("Add to Group"), "Add");
    expect(toasts()).toEqual(["Error adding users to group"]);
  });
});

describe("Add to Group, opened from a profile", () => {
  const named = (name: string) => dialog("Add to Group").getByRole<HTMLInputElement>("checkbox", { name });
  const open = async (groups: Group[], answers: Answers = {}) => {
    server(groups, answers);
    update((s) => ({ ...s, users: { 3: CLEO }, follows: { 3: { following: true, at: 5 } } }));
    render(<AddToGroup userId={3} />);
    fireEvent.click(screen.getByRole("button", { name: "Add to Group" }));
    await vi.waitFor(() => expect(screen.getByRole("dialog", { name: "Add to Group" })).toBeTruthy());
    await settle();
  };

  test("is shown only while the viewer follows the user", () => {
    server([]);
    render(<AddToGroup userId={3} />);
    expect(screen.queryByRole("button")).toBe(null);
    act(() => update((s) => apply(s, { ev: "follows.changed", seq: 5, user_id: 3, following: true })));
    expect(screen.getByRole("button", { name: "Add to Group" })).toBeTruthy();
    act(() => update((s) => apply(s, { ev: "follows.changed", seq: 6, user_id: 3, following: false })));
    expect(screen.queryByRole("button")).toBe(null);
  });

  test("offers the viewer's own groups; a group that the user is in is checked", async () => {
    const choir = aGroup({ id: 70, name: "Choir", owner_id: ANA.id });
    await open([FAMILY, choir, WALKS], {
      "groups.get": ({ group_id }) => ({
        group: group_id === 70 ? choir : FAMILY,
        members: group_id === 70 ? [ANA, CLEO] : [ANA, BEN],
        posts_count: 0,
        seq: 10,
      }),
      "groups.add": () => ({ group_id: 50, users: [CLEO], members_count: 3, seq: 11 }),
    });
    expect(dialog("Add to Group").getAllByRole("checkbox")).toHaveLength(2);
    expect([named("Choir").checked, named("Choir").disabled]).toEqual([true, true]);
    fireEvent.click(named("Family"));
    await press(dialog("Add to Group"), "Add");
    expect(asked("groups.add").map(({ group_id, user_ids }) => [group_id, user_ids])).toEqual([[50, [3]]]);
    expect(toasts()).toEqual(["Successfully added 1 user(s) to Family"]);
    expect(screen.queryByRole("dialog")).toBe(null);
  });

  test("does not let a group be picked that the user left", async () => {
    await open([FAMILY, WALKS], { "groups.left_of_mine": () => ({ group_ids: [50], seq: 10 }) });
    expect(asked("groups.left_of_mine").map(({ user_id }) => user_id)).toEqual([3]);
    expect([named("Family").checked, named("Family").disabled]).toEqual([false, true]);
    expect(reason("Family")).toBe("Left this group");
  });

  test("is a sentence for a user whom the viewer may not add", () => {
    server([]);
    const profile = { ...aProfile({ id: 3, name: "Cleo", can_be_added: false }), asOf: 5, countedAt: 5 };
    update((s) => ({
      ...s,
      users: { 3: CLEO },
      profiles: { 3: profile },
      follows: { 3: { following: true, at: 5 } },
    }));
    render(<AddToGroup userId={3} />);
    expect(screen.getByText("Cleo can't be added to groups.")).toBeTruthy();
    expect(screen.queryByRole("button")).toBe(null);
  });

  test("says that the user is in all groups already", async () => {
    await open([FAMILY], {
      "groups.get": () => ({ group: FAMILY, members: [ANA, CLEO], posts_count: 0, seq: 10 }),
    });
    expect(dialog("Add to Group").getByText("They are in all your groups already.")).toBeTruthy();
  });

  test("can create a group, which is then picked", async () => {
    const made = aGroup({ id: 70, name: "Choir", owner_id: ANA.id, members_count: 1 });
    await open([], {
      "groups.create": () => ({ group: made, seq: 11 }),
      "groups.get": () => ({ group: made, members: [ANA], posts_count: 0, seq: 11 }),
    });
    expect(dialog("Add to Group").getByText(/No groups yet\./u)).toBeTruthy();
    type("New group name", "Choir");
    await press(dialog("Add to Group"), "Create Group");
    expect(named("Choir").checked).toBe(true);
    server([made], { "groups.add": () => ({ group_id: 70, users: [CLEO], members_count: 2, seq: 12 }) });
    await press(dialog("Add to Group"), "Add");
    expect(asked("groups.add").map(({ group_id }) => group_id)).toEqual([70]);
    expect(toasts()).toContain("Successfully added 1 user(s) to Choir");
  });

  test("shows the specification's messages for failures", async () => {
    await open([FAMILY], {
      "groups.add": refuse("busy", "", null, 1_000),
      "groups.create": refuse("busy", "", null, 1_000),
    });
    type("New group name", "Choir");
    await press(dialog("Add to Group"), "Create Group");
    expect(toasts()).toEqual(["Error creating group. Please try again."]);
    fireEvent.click(named("Family"));
    await press(dialog("Add to Group"), "Add");
    expect(toasts()).toContain("Error adding user to groups. Please try again.");
    expect(named("Family").checked).toBe(true);
  });
});
