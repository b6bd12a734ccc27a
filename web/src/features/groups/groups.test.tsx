import { act, fireEvent, render, screen, within } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import { apply } from "../../engine/apply";
import { update } from "../../engine/store";
import { ANA, BEN, aGroup } from "../../testing/fixtures";
import {
  CLEO,
  DAN,
  FAMILY,
  WALKS,
  server,
  pass,
  settle,
  show,
  article,
  dialog,
  press,
  page,
  type,
  rows,
  titles,
  setUpGroupsPage,
} from "../../testing/groupsPage";
import { toasts } from "../../testing/toasts";
import { asked, refuse } from "../../testing/mockClient";
import { LiveRegions } from "../../ui/LiveRegions";
import { fate } from "./words";

vi.mock("../../engine/client", () => import("../../testing/mockClient"));

setUpGroupsPage();

describe("the page of the groups", () => {
  test("explains groups and offers to create one if there is none", async () => {
    await show([]);
    expect(screen.getByRole("heading", { name: "No groups yet." })).toBeTruthy();
    expect(
      screen.getByText("A group is a small circle you share with. Only you can add people."),
    ).toBeTruthy();
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Create Group" }).disabled).toBe(true);
    expect(screen.getByText("0/50")).toBeTruthy();
  });

  test("shows the members and the owner's actions of the viewer's own group", async () => {
    await show([FAMILY]);
    const card = article("Family");
    const heading = within(card.getByRole("heading", { name: "Family" }));
    expect(heading.getByRole("link").getAttribute("href")).toBe("/groups/50");
    expect(card.getByText("2 members")).toBeTruthy();
    expect(card.queryByText(/Added by/u)).toBe(null);
    expect(rows("Family")).toEqual(["AnaOwner", "BenRemove"]);
    const described = card.getByRole("button", { name: "Remove" }).getAttribute("aria-describedby") ?? "";
    expect(document.getElementById(described)?.querySelector("bdi")?.textContent).toBe("Ben");
    for (const name of ["Rename", "Delete", "Add to Group"])
      expect(card.getByRole("button", { name })).toBeTruthy();
    expect(card.queryByRole("button", { name: "Leave Group" })).toBe(null);
  });

  test("shows who added the viewer to another user's group, and lets the viewer leave it", async () => {
    await show([WALKS]);
    const card = article("Walks");
    expect(card.getByText("3 members")).toBeTruthy();
    expect(card.getByText(/Added by/u).parentElement?.textContent).toBe("Added by Ben");
    expect(rows("Walks")).toEqual(["BenOwner", "Ana", "Cleo"]);
    expect(card.getAllByRole("button").map((button) => button.textContent)).toEqual(["Leave Group"]);
  });

  test("lists the newest group first", async () => {
    await show([FAMILY, WALKS]);
    expect(titles()).toEqual(["Walks", "Family"]);
  });

  test("shows five members of a large group, and the others on request", async () => {
    const all = [1, 2, 3, 4, 5, 6, 7].map((id) => ({ id, name: `Person ${id}`, photo_url: null }));
    const big = aGroup({ owner_id: ANA.id, members_count: 7 });
    await show([big], {
      "groups.get": () => ({ group: big, members: all, posts_count: 0, seq: 10 }),
    });
    expect(rows(big.name)).toHaveLength(5);
    await press(article(big.name), "Show 2 more members");
    expect(rows(big.name)).toHaveLength(7);
    await press(article(big.name), "Show less");
    expect(rows(big.name)).toHaveLength(5);
  });

  test("reads the members of a group only when its card is near the window", async () => {
    vi.stubGlobal(
      "IntersectionObserver",
      class {
        observe() {}
        disconnect() {}
      },
    );
    await show([FAMILY]);
    expect(article("Family").getByText("2 members")).toBeTruthy();
    expect(asked("groups.get")).toEqual([]);
  });

  test("says that the groups could not be read, and can try again", async () => {
    await show([], { "groups.list": refuse("busy", "", null, 1_000) });
    expect(screen.getByRole("alert").textContent).toContain("Error loading groups");
    server([FAMILY]);
    await press(page(), "Try again");
    expect(titles()).toEqual(["Family"]);
  });

  test("says in a card that its members could not be read, and can try again", async () => {
    await show([FAMILY], { "groups.get": refuse("busy", "", null, 1_000) });
    expect(article("Family").getByRole("alert").textContent).toContain("Couldn't load this");
    server([FAMILY]);
    await press(article("Family"), "Try again");
    expect(rows("Family")).toHaveLength(2);
  });
});

describe("a new group", () => {
  test("is created once with its trimmed name, and is listed at once", async () => {
    const made = aGroup({ id: 70, name: "Choir", owner_id: ANA.id, members_count: 1 });
    await show([], { "groups.create": () => ({ group: made, seq: 11 }) });
    type("New group name", "  Choir ");
    expect(screen.getByText("5/50")).toBeTruthy();
    await press(page(), "Create Group");
    expect(asked("groups.create").map(({ name }) => name)).toEqual(["Choir"]);
    expect(titles()).toEqual(["Choir"]);
    expect(toasts()).toEqual(["Group created successfully"]);
    const box = screen.getByRole<HTMLInputElement>("textbox", { name: "New group name" });
    expect(box.value).toBe("");
    expect(document.activeElement).toBe(box);
    // The event of the same group changes nothing.
    act(() => update((s) => apply(s, { ev: "groups.created", seq: 11, group: made, users: [ANA] })));
    expect(titles()).toEqual(["Choir"]);
  });

  test("cannot be created with a name that is too long", async () => {
    await show([]);
    type("New group name", "x".repeat(51));
    expect(screen.getByText("51/50")).toBeTruthy();
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Create Group" }).disabled).toBe(true);
  });

  test("keeps its name in the box after a refusal, and a second press has the same key", async () => {
    await show([], { "groups.create": refuse("busy", "", null, 1_000) });
    type("New group name", "Choir");
    await press(page(), "Create Group");
    await press(page(), "Create Group");
    expect(toasts()).toEqual(["Error creating group"]);
    const [first, second] = asked("groups.create");
    expect(second.key).toBe(first.key);
    expect(screen.getByRole<HTMLInputElement>("textbox", { name: "New group name" }).value).toBe("Choir");
  });

  test("shows the server's refusal beside the box if there are too many groups", async () => {
    await show([], {
      "groups.create": refuse("invalid", "You have as many groups as one person can have.", "name"),
    });
    type("New group name", "Choir");
    await press(page(), "Create Group");
    expect(toasts()).toEqual([]);
    expect(screen.getByRole("alert").textContent).toBe("You have as many groups as one person can have.");
    expect(screen.getByRole("textbox", { name: "New group name" }).getAttribute("aria-invalid")).toBe("true");
    type("New group name", "Choirs");
    expect(screen.queryByRole("alert")).toBe(null);
  });
});

describe("renaming a group", () => {
  test("replaces the name, and the focus returns", async () => {
    await show([FAMILY], { "groups.rename": ({ name }) => ({ group_id: 50, name, seq: 11 }) });
    await press(article("Family"), "Rename");
    const box = article("Family").getByRole<HTMLInputElement>("textbox", { name: "Group name" });
    expect(box.value).toBe("Family");
    expect(document.activeElement).toBe(box);
    type("Group name", " Kin ");
    await press(article("Family"), "Save");
    expect(asked("groups.rename").map(({ name }) => name)).toEqual(["Kin"]);
    expect(toasts()).toEqual(["Group updated successfully"]);
    expect(titles()).toEqual(["Kin"]);
    expect(document.activeElement?.textContent).toBe("Rename");
  });

  test("sends nothing for an unchanged name; Cancel and Escape end it", async () => {
    await show([FAMILY]);
    await press(article("Family"), "Rename");
    await press(article("Family"), "Save");
    await press(article("Family"), "Rename");
    await press(article("Family"), "Cancel");
    await press(article("Family"), "Rename");
    fireEvent.keyDown(screen.getByRole("textbox", { name: "Group name" }), { key: "Escape" });
    await settle();
    expect(screen.queryByRole("textbox", { name: "Group name" })).toBe(null);
    expect(asked("groups.rename")).toEqual([]);
    expect(toasts()).toEqual([]);
  });

  test("keeps the typed name after a refusal", async () => {
    await show([FAMILY], { "groups.rename": refuse("slow_down", "Slow down a little.", null, 1_000) });
    await press(article("Family"), "Rename");
    type("Group name", "Kin");
    await press(article("Family"), "Save");
    expect(toasts()).toEqual(["Error updating group"]);
    expect(screen.getByRole("alert").textContent).toBe("Slow down a little.");
    expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Group name" }).value).toBe("Kin");
  });

  test("on another device is shown at once, and does not change the typed name", async () => {
    await show([FAMILY]);
    await press(article("Family"), "Rename");
    type("Group name", "Ki");
    act(() => update((s) => apply(s, { ev: "groups.renamed", seq: 12, group_id: 50, name: "Clan" })));
    expect(titles()).toEqual(["Clan"]);
    expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Group name" }).value).toBe("Ki");
  });
});

describe("members", () => {
  test("are removed at once by Remove, and the focus moves to another member", async () => {
    await show([aGroup({ owner_id: ANA.id, members_count: 3 })], {
      "groups.get": () => ({
        group: aGroup({ owner_id: ANA.id, members_count: 3 }),
        members: [ANA, BEN, CLEO],
        posts_count: 0,
        seq: 10,
      }),
    });
    const ben = within(article("Family").getAllByRole("listitem")[1] as HTMLElement);
    await press(ben, "Remove");
    expect(asked("groups.remove").map(({ user_id }) => user_id)).toEqual([BEN.id]);
    expect(rows("Family")).toEqual(["AnaOwner", "CleoRemove"]);
    expect(article("Family").getByText("2 members")).toBeTruthy();
    expect(toasts()).toEqual(["Member removed from group"]);
    expect(document.activeElement?.textContent).toBe("Remove");
  });

  test("stay listed with the reason if they could not be removed", async () => {
    await show([FAMILY], { "groups.remove": refuse("slow_down", "Slow down a little.", null, 1_000) });
    await press(article("Family"), "Remove");
    expect(rows("Family")).toEqual(["AnaOwner", "BenRemove"]);
    expect(toasts()).toEqual(["Error removing member"]);
    expect(article("Family").getByRole("alert").textContent).toBe("Slow down a little.");
  });

  test("are updated when others join, leave or change their names", async () => {
    await show([WALKS]);
    act(() =>
      update((s) =>
        apply(s, {
          ev: "groups.joined",
          seq: 11,
          group: { ...WALKS, members_count: 4 },
          user_ids: [4],
          users: [DAN, BEN],
        }),
      ),
    );
    act(() =>
      update((s) => apply(s, { ev: "groups.left", seq: 12, group_id: 60, user_id: 3, members_count: 3 })),
    );
    expect(rows("Walks")).toEqual(["BenOwner", "Ana", "Dan"]);
    act(() => update((s) => apply(s, { ev: "users.changed", seq: 13, user: { ...DAN, name: "Daniel" } })));
    expect(rows("Walks")).toEqual(["BenOwner", "Ana", "Daniel"]);
  });

  test("are read again after a resync", async () => {
    await show([FAMILY]);
    server([FAMILY], {
      "groups.get": () => ({ group: FAMILY, members: [ANA, CLEO], posts_count: 0, seq: 12 }),
    });
    act(() => update((s) => ({ ...s, resyncs: s.resyncs + 1 })));
    await settle();
    expect(rows("Family")).toEqual(["AnaOwner", "CleoRemove"]);
  });
});

describe("deleting, leaving and joining", () => {
  test("deleting asks with the number of posts, which is read again", async () => {
    await show([FAMILY, WALKS]);
    const before = asked("groups.get").length;
    await press(article("Family"), "Delete");
    expect(asked("groups.get")).toHaveLength(before + 1);
    const question = screen.getByRole("alertdialog", { name: "Delete Group" });
    expect(question.textContent).toContain("3 posts");
    expect(
      within(question)
        .getAllByRole("button")
        .map((button) => button.textContent),
    ).toEqual(["Cancel", "Delete"]);
    expect(document.activeElement?.textContent).toBe("Cancel");
    await press(dialog("Delete Group", "alertdialog"), "Delete");
    expect(toasts()).toEqual(["Group deleted successfully"]);
    expect(titles()).toEqual(["Walks"]);
    expect(document.activeElement?.textContent).toBe("Walks");
  });

  test("the question says for each number of posts what happens to them", () => {
    expect(fate(0)).toContain("0 posts are shared with this group,");
    expect(fate(1)).toContain("1 post shared with this group will be visible to its author only,");
    expect(fate(2)).toContain("2 posts shared with this group will be visible to their authors only,");
  });

  test("deleting cannot be confirmed before the number is known", async () => {
    let answer = (): void => undefined;
    await show([FAMILY]);
    server([FAMILY], {
      "groups.get": () =>
        new Promise(
          (resolve) =>
            (answer = () => resolve({ group: FAMILY, members: [ANA, BEN], posts_count: 1, seq: 10 })),
        ),
    });
    await press(article("Family"), "Delete");
    const confirm = dialog("Delete Group", "alertdialog").getByRole<HTMLButtonElement>("button", {
      name: "Delete",
    });
    expect(confirm.disabled).toBe(true);
    answer();
    await settle();
    expect(confirm.disabled).toBe(false);
    expect(screen.getByRole("alertdialog").textContent).toContain("1 post shared");
  });

  test("a refused deletion keeps the group and shows the reason in the dialog", async () => {
    await show([FAMILY], { "groups.delete": refuse("slow_down", "Slow down a little.", null, 1_000) });
    await press(article("Family"), "Delete");
    await press(dialog("Delete Group", "alertdialog"), "Delete");
    expect(toasts()).toEqual(["Error deleting group"]);
    expect(screen.getByRole("alertdialog").textContent).toContain("Slow down a little.");
    expect(titles()).toEqual(["Family"]);
  });

  test("a group that its owner deletes elsewhere is removed, and the focus moves to the next card", async () => {
    await show([FAMILY, WALKS]);
    render(<LiveRegions />);
    article("Walks").getByRole("button", { name: "Leave Group" }).focus();
    act(() => update((s) => apply(s, { ev: "groups.deleted", seq: 11, group_id: 60 })));
    await settle();
    expect(titles()).toEqual(["Family"]);
    expect(document.activeElement?.textContent).toBe("Family");
    await pass(1_000);
    expect(screen.getByText("You no longer have access to this group.")).toBeTruthy();
  });

  test("leaving asks first", async () => {
    await show([WALKS]);
    await press(article("Walks"), "Leave Group");
    const question = dialog("Leave Group", "alertdialog");
    expect(question.getAllByRole("button").map((button) => button.textContent)).toEqual([
      "Cancel",
      "Leave Group",
    ]);
    await press(question, "Leave Group");
    expect(asked("groups.leave").map(({ group_id }) => group_id)).toEqual([60]);
    expect(screen.getByRole("heading", { name: "No groups yet." })).toBeTruthy();
  });

  test("a refused leave shows its reason in the dialog", async () => {
    await show([WALKS], { "groups.leave": refuse("busy", "", null, 1_000) });
    await press(article("Walks"), "Leave Group");
    await press(dialog("Leave Group", "alertdialog"), "Leave Group");
    expect(screen.getByRole("alertdialog").textContent).toContain("You are still in this group.");
    expect(titles()).toEqual(["Walks"]);
  });

  test("a group that the viewer is added to appears in the open list", async () => {
    await show([FAMILY]);
    // The first reply is older than the event. Only the next reply has all members.
    let seq = 9;
    server([FAMILY, WALKS], {
      "groups.get": () => ({ group: WALKS, members: [BEN, ANA, CLEO], posts_count: 0, seq: (seq += 1) }),
    });
    act(() =>
      update((s) =>
        apply(s, { ev: "groups.joined", seq: 11, group: WALKS, user_ids: [ANA.id], users: [ANA, BEN] }),
      ),
    );
    await settle();
    expect(titles()).toEqual(["Walks", "Family"]);
    expect(rows("Walks")).toEqual(["BenOwner", "Ana", "Cleo"]);
  });
});

describe("a slow request", () => {
  const never = () => new Promise(() => undefined);
  const away = () => act(() => update((s) => ({ ...s, connection: { state: "offline", since: 2 } })));
  const SAVED = "Saved. It will go out when you're back online.";

  test("has a note that it is being sent, or that it will be sent when the connection is back", async () => {
    await show([FAMILY], { "groups.create": never });
    type("New group name", "Walks");
    await press(page(), "Create Group");
    expect(screen.queryByText("Sending")).toBe(null);
    await pass(700);
    expect(screen.getByText("Sending")).toBeTruthy();
    away();
    expect(screen.getByText(SAVED)).toBeTruthy();
  });

  test("has this note for removing, renaming and adding", async () => {
    await show([FAMILY], { "groups.rename": never, "groups.remove": never, "groups.add": never });
    away();
    await press(article("Family"), "Remove");
    await pass(700);
    expect(screen.getAllByText(SAVED)).toHaveLength(1);
    await press(article("Family"), "Rename");
    type("Group name", "The family");
    await press(page(), "Save");
    await pass(700);
    expect(screen.getAllByText(SAVED)).toHaveLength(2);
    await press(article("Family"), "Add to Group");
    await press(dialog("Add to Group"), "Cleo", "checkbox");
    await press(dialog("Add to Group"), "Add");
    await pass(700);
    expect(dialog("Add to Group").getByText(SAVED)).toBeTruthy();
  });
});
