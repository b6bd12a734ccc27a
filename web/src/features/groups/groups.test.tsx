import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { apply } from "../../store/apply";
import { emptyState } from "../../store/state";
import { store, update } from "../../store/store";
import { ANA, BEN, aGroup, aMe } from "../../store/testing";
import { LiveRegions } from "../../ui/LiveRegions";
import { toastList } from "../../ui/toast";
import { RefusedError } from "../../wire/ask";
import type { Group, User } from "../../wire/types.gen";
import { AddToGroup } from "./AddToGroup";
import { ManageGroups } from "./ManageGroups";
import { fate } from "./words";

const ask = vi.hoisted(() => vi.fn());
vi.mock("../../store/client", () => ({ ask, client: { hold: () => () => undefined, tidy: () => undefined } }));

const CLEO: User = { id: 3, name: "Cleo", photo_url: null };
const DAN: User = { id: 4, name: "Dan", photo_url: null };
const FAMILY = aGroup({ owner_id: ANA.id });
const WALKS = aGroup({ id: 60, name: "Walks", owner_id: BEN.id, members_count: 3 });
const people: Record<number, User[]> = { 50: [ANA, BEN], 60: [BEN, ANA, CLEO] };

type Answers = Record<string, (fields: Record<string, unknown>) => unknown>;
function server(groups: Group[], answers: Answers = {}): void {
  const all: Answers = {
    "groups.list": () => ({ groups, users: [ANA, BEN], seq: 10 }),
    "groups.get": ({ group_id }) => ({ group: groups.find(({ id }) => id === group_id), members: people[group_id as number] ?? [ANA], posts_count: 3, seq: 10 }),
    "follows.page": () => ({ users: [BEN, CLEO], older: null, seq: 10 }),
    ...answers,
  };
  ask.mockImplementation(async (op: string, fields: Record<string, unknown>) => all[op]?.(fields) ?? { seq: 11 });
}
const refuse = (code: string, message = "No.", field: string | null = null, retryMs: number | null = null) => () => {
  throw new RefusedError(code, message, field, retryMs);
};
const asked = (op: string) => ask.mock.calls.filter(([name]) => name === op).map(([, fields]) => fields);
const pass = (ms: number) => act(async () => void (await vi.advanceTimersByTimeAsync(ms)));
/** What was asked is answered and on the page, and then the next frame comes. */
const settle = async () => {
  await pass(0);
  await pass(20);
};
const said = () => toastList.get().map((one) => one.message);

async function show(groups: Group[], answers: Answers = {}): Promise<void> {
  server(groups, answers);
  render(
    <main>
      <h1 tabIndex={-1}>Manage Groups</h1>
      <ManageGroups />
    </main>,
  );
  await settle();
}
const article = (name: string) => within(screen.getByRole("article", { name }));
const dialog = (name: string, role = "dialog") => within(screen.getByRole(role, { name }));
const press = async (where: ReturnType<typeof within>, name: string, role = "button") => {
  const control = where.getByRole(role, { name });
  control.focus();
  fireEvent.click(control);
  await settle();
};
const page = () => within(document.body);
const type = (label: string, value: string) => fireEvent.change(screen.getByRole("textbox", { name: label }), { target: { value } });
const rows = (name: string) => within(article(name).getByRole("list", { name: "Members" })).getAllByRole("listitem").map((row) => row.textContent.replace(/^(.)\1/u, "$1"));
const titles = () => screen.queryAllByRole("article").map((one) => one.getAttribute("aria-label"));

beforeEach(() => {
  vi.useFakeTimers();
  ask.mockReset();
  toastList.clear();
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      constructor(private readonly seen: (entries: { isIntersecting: boolean }[]) => void) {}
      observe() {
        this.seen([{ isIntersecting: true }]);
      }
      disconnect() {}
    },
  );
  store.setState({ ...emptyState(), session: { phase: "signed-in", me: aMe() }, connection: { state: "live", since: 1 } }, true);
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("the groups", () => {
  test("none yet: what a group is, and a name to begin with", async () => {
    await show([]);
    expect(screen.getByRole("heading", { name: "No groups yet." })).toBeTruthy();
    expect(screen.getByText("A group is a small circle you share with. Only you can add people.")).toBeTruthy();
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Create Group" }).disabled).toBe(true);
    expect(screen.getByText("0/50")).toBeTruthy();
  });

  test("one's own is looked after by oneself: its members, and what its owner may do", async () => {
    await show([FAMILY]);
    const card = article("Family");
    expect(card.getByRole("heading", { name: "Family" })).toBeTruthy();
    expect(card.getByText("2 members")).toBeTruthy();
    expect(card.queryByText(/Added by/u)).toBe(null);
    expect(rows("Family")).toEqual(["AnaOwner", "BenRemove"]);
    for (const name of ["Rename", "Delete", "Add to Group"]) expect(card.getByRole("button", { name })).toBeTruthy();
    expect(card.queryByRole("button", { name: "Leave Group" })).toBe(null);
  });

  test("somebody else's says who added one, and can be left", async () => {
    await show([WALKS]);
    const card = article("Walks");
    expect(card.getByText("3 members")).toBeTruthy();
    expect(card.getByText(/Added by/u).textContent).toBe("Added by Ben");
    expect(rows("Walks")).toEqual(["BenOwner", "Ana", "Cleo"]);
    expect(card.getAllByRole("button").map((button) => button.textContent)).toEqual(["Leave Group"]);
  });

  test("the newest stands first, whoever made it", async () => {
    await show([FAMILY, WALKS]);
    expect(titles()).toEqual(["Walks", "Family"]);
  });

  test("who is in a group is read when it comes near, not before", async () => {
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

  test("that could not be read are said to be so, and can be tried again", async () => {
    await show([], { "groups.list": refuse("busy", "", null, 1_000) });
    expect(screen.getByRole("alert").textContent).toContain("Error loading groups");
    server([FAMILY]);
    await press(page(), "Try again");
    expect(titles()).toEqual(["Family"]);
  });

  test("who is in one could not be read: said in its card, the rest is there", async () => {
    await show([FAMILY], { "groups.get": refuse("busy", "", null, 1_000) });
    expect(article("Family").getByRole("alert").textContent).toContain("Couldn't load this");
    server([FAMILY]);
    await press(article("Family"), "Try again");
    expect(rows("Family")).toHaveLength(2);
  });
});

describe("a new group", () => {
  test("is made once by its trimmed name, and stands at once", async () => {
    const made = aGroup({ id: 70, name: "Choir", owner_id: ANA.id, members_count: 1 });
    await show([], { "groups.create": () => ({ group: made, seq: 11 }) });
    type("New group name", "  Choir ");
    expect(screen.getByText("5/50")).toBeTruthy();
    await press(page(), "Create Group");
    expect(asked("groups.create").map(({ name }) => name)).toEqual(["Choir"]);
    expect(titles()).toEqual(["Choir"]);
    expect(said()).toEqual(["Group created successfully"]);
    const box = screen.getByRole<HTMLInputElement>("textbox", { name: "New group name" });
    expect(box.value).toBe("");
    expect(document.activeElement).toBe(box);
    // Told to this tab as well, it is the same group.
    act(() => update((s) => apply(s, { ev: "groups.created", seq: 11, group: made, users: [ANA] })));
    expect(titles()).toEqual(["Choir"]);
  });

  test("too long a name waits in its box", async () => {
    await show([]);
    type("New group name", "x".repeat(51));
    expect(screen.getByText("51/50")).toBeTruthy();
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Create Group" }).disabled).toBe(true);
  });

  test("that is refused keeps its name; the same press again is the same wish", async () => {
    await show([], { "groups.create": refuse("busy", "", null, 1_000) });
    type("New group name", "Choir");
    await press(page(), "Create Group");
    await press(page(), "Create Group");
    expect(said()).toEqual(["Error creating group"]);
    const [first, second] = asked("groups.create");
    expect(second.key).toBe(first.key);
    expect(screen.getByRole<HTMLInputElement>("textbox", { name: "New group name" }).value).toBe("Choir");
  });

  test("one too many is said beside the box, in the server's words", async () => {
    await show([], { "groups.create": refuse("invalid", "You have as many groups as one person can have.", "name") });
    type("New group name", "Choir");
    await press(page(), "Create Group");
    expect(said()).toEqual([]);
    expect(screen.getByRole("alert").textContent).toBe("You have as many groups as one person can have.");
    expect(screen.getByRole("textbox", { name: "New group name" }).getAttribute("aria-invalid")).toBe("true");
    type("New group name", "Choirs");
    expect(screen.queryByRole("alert")).toBe(null);
  });
});

describe("another name", () => {
  test("takes the place of the old one, and the focus comes back", async () => {
    await show([FAMILY], { "groups.rename": ({ name }) => ({ group_id: 50, name, seq: 11 }) });
    await press(article("Family"), "Rename");
    const box = article("Family").getByRole<HTMLInputElement>("textbox", { name: "Group name" });
    expect(box.value).toBe("Family");
    expect(document.activeElement).toBe(box);
    type("Group name", " Kin ");
    await press(article("Family"), "Save");
    expect(asked("groups.rename").map(({ name }) => name)).toEqual(["Kin"]);
    expect(said()).toEqual(["Group updated successfully"]);
    expect(titles()).toEqual(["Kin"]);
    expect(document.activeElement?.textContent).toBe("Rename");
  });

  test("that is none asks nobody; Cancel and Escape leave it", async () => {
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
    expect(said()).toEqual([]);
  });

  test("that was refused stays in its box", async () => {
    await show([FAMILY], { "groups.rename": refuse("slow_down", "Slow down a little.", null, 1_000) });
    await press(article("Family"), "Rename");
    type("Group name", "Kin");
    await press(article("Family"), "Save");
    expect(said()).toEqual(["Error updating group"]);
    expect(screen.getByRole("alert").textContent).toBe("Slow down a little.");
    expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Group name" }).value).toBe("Kin");
  });

  test("given on another device shows at once, and does not touch what is typed here", async () => {
    await show([FAMILY]);
    await press(article("Family"), "Rename");
    type("Group name", "Ki");
    act(() => update((s) => apply(s, { ev: "groups.renamed", seq: 12, group_id: 50, name: "Clan" })));
    expect(titles()).toEqual(["Clan"]);
    expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Group name" }).value).toBe("Ki");
  });
});

describe("members", () => {
  test("Remove acts at once, and the focus stays among them", async () => {
    await show([aGroup({ owner_id: ANA.id, members_count: 3 })], {
      "groups.get": () => ({ group: aGroup({ owner_id: ANA.id, members_count: 3 }), members: [ANA, BEN, CLEO], posts_count: 0, seq: 10 }),
    });
    const ben = within(article("Family").getAllByRole("listitem")[1] as HTMLElement);
    await press(ben, "Remove");
    expect(asked("groups.remove").map(({ user_id }) => user_id)).toEqual([BEN.id]);
    expect(rows("Family")).toEqual(["AnaOwner", "CleoRemove"]);
    expect(article("Family").getByText("2 members")).toBeTruthy();
    expect(said()).toEqual(["Member removed from group"]);
    expect(document.activeElement?.textContent).toBe("Remove");
  });

  test("who could not be removed is still here, with the reason", async () => {
    await show([FAMILY], { "groups.remove": refuse("slow_down", "Slow down a little.", null, 1_000) });
    await press(article("Family"), "Remove");
    expect(rows("Family")).toEqual(["AnaOwner", "BenRemove"]);
    expect(said()).toEqual(["Error removing member"]);
    expect(article("Family").getByRole("alert").textContent).toBe("Slow down a little.");
  });

  test("come and go as others do it", async () => {
    await show([WALKS]);
    act(() => update((s) => apply(s, { ev: "groups.joined", seq: 11, group: { ...WALKS, members_count: 4 }, user_ids: [4], users: [DAN, BEN] })));
    act(() => update((s) => apply(s, { ev: "groups.left", seq: 12, group_id: 60, user_id: 3, members_count: 3 })));
    expect(rows("Walks")).toEqual(["BenOwner", "Ana", "Dan"]);
    act(() => update((s) => apply(s, { ev: "users.changed", seq: 13, user: { ...DAN, name: "Daniel" } })));
    expect(rows("Walks")).toEqual(["BenOwner", "Ana", "Daniel"]);
  });

  test("are read again after an interruption that nobody can account for", async () => {
    await show([FAMILY]);
    server([FAMILY], { "groups.get": () => ({ group: FAMILY, members: [ANA, CLEO], posts_count: 0, seq: 12 }) });
    act(() => update((s) => ({ ...s, rereads: s.rereads + 1 })));
    await settle();
    expect(rows("Family")).toEqual(["AnaOwner", "CleoRemove"]);
  });
});

describe("the end of a group", () => {
  test("is asked about with the number of posts, fresh from the server", async () => {
    await show([FAMILY, WALKS]);
    const before = asked("groups.get").length;
    await press(article("Family"), "Delete");
    expect(asked("groups.get")).toHaveLength(before + 1);
    const question = screen.getByRole("alertdialog", { name: "Delete Group" });
    expect(question.textContent).toContain("3 posts");
    expect(within(question).getAllByRole("button").map((button) => button.textContent)).toEqual(["Cancel", "Delete"]);
    expect(document.activeElement?.textContent).toBe("Cancel");
    await press(dialog("Delete Group", "alertdialog"), "Delete");
    expect(said()).toEqual(["Group deleted successfully"]);
    expect(titles()).toEqual(["Walks"]);
    expect(document.activeElement?.textContent).toBe("Walks");
  });

  test("says of each number what becomes of the posts", () => {
    expect(fate(0)).toContain("0 posts are shared with this group,");
    expect(fate(1)).toContain("1 post shared with this group will be visible to its author only,");
    expect(fate(2)).toContain("2 posts shared with this group will be visible to their authors only,");
  });

  test("is not pressed before the number is there", async () => {
    let answer = (): void => undefined;
    await show([FAMILY]);
    server([FAMILY], { "groups.get": () => new Promise((resolve) => (answer = () => resolve({ group: FAMILY, members: [ANA, BEN], posts_count: 1, seq: 10 }))) });
    await press(article("Family"), "Delete");
    const confirm = dialog("Delete Group", "alertdialog").getByRole<HTMLButtonElement>("button", { name: "Delete" });
    expect(confirm.disabled).toBe(true);
    answer();
    await settle();
    expect(confirm.disabled).toBe(false);
    expect(screen.getByRole("alertdialog").textContent).toContain("1 post shared");
  });

  test("that is refused leaves the group, and the question with the reason", async () => {
    await show([FAMILY], { "groups.delete": refuse("slow_down", "Slow down a little.", null, 1_000) });
    await press(article("Family"), "Delete");
    await press(dialog("Delete Group", "alertdialog"), "Delete");
    expect(said()).toEqual(["Error deleting group"]);
    expect(screen.getByRole("alertdialog").textContent).toContain("Slow down a little.");
    expect(titles()).toEqual(["Family"]);
  });

  test("by its owner elsewhere takes the card away, and the focus goes to the next", async () => {
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

  test("leaving is asked about, and done", async () => {
    await show([WALKS]);
    await press(article("Walks"), "Leave Group");
    const question = dialog("Leave Group", "alertdialog");
    expect(question.getAllByRole("button").map((button) => button.textContent)).toEqual(["Cancel", "Leave Group"]);
    await press(question, "Leave Group");
    expect(asked("groups.leave").map(({ group_id }) => group_id)).toEqual([60]);
    expect(screen.getByRole("heading", { name: "No groups yet." })).toBeTruthy();
  });

  test("who could not leave is told so in the question", async () => {
    await show([WALKS], { "groups.leave": refuse("busy", "", null, 1_000) });
    await press(article("Walks"), "Leave Group");
    await press(dialog("Leave Group", "alertdialog"), "Leave Group");
    expect(screen.getByRole("alertdialog").textContent).toContain("You are still in this group.");
    expect(titles()).toEqual(["Walks"]);
  });

  test("being added to a group stands in the open list", async () => {
    await show([FAMILY]);
    // The first answer was on its way before; only the next one knows.
    let seq = 9;
    server([FAMILY, WALKS], { "groups.get": () => ({ group: WALKS, members: [BEN, ANA, CLEO], posts_count: 0, seq: (seq += 1) }) });
    act(() => update((s) => apply(s, { ev: "groups.joined", seq: 11, group: WALKS, user_ids: [ANA.id], users: [ANA, BEN] })));
    await settle();
    expect(titles()).toEqual(["Walks", "Family"]);
    expect(rows("Walks")).toEqual(["BenOwner", "Ana", "Cleo"]);
  });
});

describe("Add to Group from the group", () => {
  const boxes = () => dialog("Add to Group").getAllByRole<HTMLInputElement>("checkbox");
  const named = (name: string) => dialog("Add to Group").getByRole<HTMLInputElement>("checkbox", { name });

  test("offers one's followers; who is in it already stands checked", async () => {
    await show([FAMILY], { "groups.add": () => ({ group_id: 50, users: [CLEO], members_count: 3, seq: 11 }) });
    await press(article("Family"), "Add to Group");
    expect(asked("follows.page").map(({ side }) => side)).toEqual(["followers"]);
    expect(boxes()).toHaveLength(2);
    expect([named("Ben").checked, named("Ben").disabled]).toEqual([true, true]);
    expect(named("Cleo").checked).toBe(false);
    const add = dialog("Add to Group").getByRole<HTMLButtonElement>("button", { name: "Add" });
    expect(add.disabled).toBe(true);
    fireEvent.click(named("Cleo"));
    expect(add.disabled).toBe(false);
    await press(dialog("Add to Group"), "Add");
    expect(asked("groups.add").map(({ user_ids }) => user_ids)).toEqual([[CLEO.id]]);
    expect(said()).toEqual(["Successfully added 1 user(s) to Family"]);
    expect(screen.queryByRole("dialog")).toBe(null);
    expect(rows("Family")).toEqual(["AnaOwner", "BenRemove", "CleoRemove"]);
    expect(document.activeElement?.textContent).toBe("Add to Group");
  });

  test("is read page by page, and what was picked is kept", async () => {
    await show([FAMILY], { "follows.page": ({ before }) => (before === null ? { users: [CLEO], older: 5, seq: 10 } : { users: [DAN], older: null, seq: 10 }) });
    await press(article("Family"), "Add to Group");
    fireEvent.click(named("Cleo"));
    await press(dialog("Add to Group"), "Show more");
    await settle();
    expect(document.activeElement).toBe(named("Dan"));
    expect(named("Cleo").checked).toBe(true);
    expect(boxes()).toHaveLength(2);
  });

  test("somebody who is added meanwhile is checked, and not sent", async () => {
    await show([FAMILY]);
    await press(article("Family"), "Add to Group");
    fireEvent.click(named("Cleo"));
    act(() => update((s) => apply(s, { ev: "groups.joined", seq: 12, group: { ...FAMILY, members_count: 3 }, user_ids: [3], users: [CLEO, ANA] })));
    expect([named("Cleo").checked, named("Cleo").disabled]).toEqual([true, true]);
    expect(dialog("Add to Group").getByText("Everyone who follows you is in this group.")).toBeTruthy();
    expect(dialog("Add to Group").getByRole<HTMLButtonElement>("button", { name: "Add" }).disabled).toBe(true);
  });

  test("nobody to add is said kindly", async () => {
    await show([FAMILY], { "follows.page": () => ({ users: [], older: null, seq: 10 }) });
    await press(article("Family"), "Add to Group");
    expect(dialog("Add to Group").getByText("Nobody follows you yet. People you follow can be added from their profile.")).toBeTruthy();
  });

  test("that is refused keeps what was picked, and says why", async () => {
    await show([FAMILY], { "groups.add": refuse("invalid", "A group can't have that many members.", "user_ids") });
    await press(article("Family"), "Add to Group");
    fireEvent.click(named("Cleo"));
    await press(dialog("Add to Group"), "Add");
    expect(dialog("Add to Group").getByRole("alert").textContent).toBe("A group can't have that many members.");
    expect(named("Cleo").checked).toBe(true);
    server([FAMILY], { "groups.add": refuse("busy", "", null, 1_000) });
    await press(dialog("Add to Group"), "Add");
    expect(said()).toEqual(["Error adding users to group"]);
  });
});

describe("Add to Group from a profile", () => {
  const named = (name: string) => dialog("Add to Group").getByRole<HTMLInputElement>("checkbox", { name });
  const open = async (groups: Group[], answers: Answers = {}) => {
    server(groups, answers);
    update((s) => ({ ...s, users: { 3: CLEO }, follows: { 3: { following: true, at: 5 } } }));
    render(<AddToGroup userId={3} />);
    fireEvent.click(screen.getByRole("button", { name: "Add to Group" }));
    await vi.waitFor(() => expect(screen.getByRole("dialog", { name: "Add to Group" })).toBeTruthy());
    await settle();
  };

  test("is there only while following", () => {
    server([]);
    render(<AddToGroup userId={3} />);
    expect(screen.queryByRole("button")).toBe(null);
    act(() => update((s) => apply(s, { ev: "follows.changed", seq: 5, user_id: 3, following: true })));
    expect(screen.getByRole("button", { name: "Add to Group" })).toBeTruthy();
    act(() => update((s) => apply(s, { ev: "follows.changed", seq: 6, user_id: 3, following: false })));
    expect(screen.queryByRole("button")).toBe(null);
  });

  test("offers one's own groups; one they are in stands checked", async () => {
    const choir = aGroup({ id: 70, name: "Choir", owner_id: ANA.id });
    await open([FAMILY, choir, WALKS], {
      "groups.get": ({ group_id }) => ({ group: group_id === 70 ? choir : FAMILY, members: group_id === 70 ? [ANA, CLEO] : [ANA, BEN], posts_count: 0, seq: 10 }),
      "groups.add": () => ({ group_id: 50, users: [CLEO], members_count: 3, seq: 11 }),
    });
    expect(dialog("Add to Group").getAllByRole("checkbox")).toHaveLength(2);
    expect([named("Choir").checked, named("Choir").disabled]).toEqual([true, true]);
    fireEvent.click(named("Family"));
    await press(dialog("Add to Group"), "Add");
    expect(asked("groups.add").map(({ group_id, user_ids }) => [group_id, user_ids])).toEqual([[50, [3]]]);
    expect(said()).toEqual(["Successfully added 1 user(s) to Family"]);
    expect(screen.queryByRole("dialog")).toBe(null);
  });

  test("says why there is nothing to pick for somebody who is in all of them", async () => {
    await open([FAMILY], { "groups.get": () => ({ group: FAMILY, members: [ANA, CLEO], posts_count: 0, seq: 10 }) });
    expect(dialog("Add to Group").getByText("They are in all your groups already.")).toBeTruthy();
  });

  test("makes a group on the way, which is then picked", async () => {
    const made = aGroup({ id: 70, name: "Choir", owner_id: ANA.id, members_count: 1 });
    await open([], { "groups.create": () => ({ group: made, seq: 11 }), "groups.get": () => ({ group: made, members: [ANA], posts_count: 0, seq: 11 }) });
    expect(dialog("Add to Group").getByText(/No groups yet\./u)).toBeTruthy();
    type("New group name", "Choir");
    await press(dialog("Add to Group"), "Create Group");
    expect(named("Choir").checked).toBe(true);
    server([made], { "groups.add": () => ({ group_id: 70, users: [CLEO], members_count: 2, seq: 12 }) });
    await press(dialog("Add to Group"), "Add");
    expect(asked("groups.add").map(({ group_id }) => group_id)).toEqual([70]);
    expect(said()).toContain("Successfully added 1 user(s) to Choir");
  });

  test("says in the specification's words what could not be done", async () => {
    await open([FAMILY], { "groups.add": refuse("busy", "", null, 1_000), "groups.create": refuse("busy", "", null, 1_000) });
    type("New group name", "Choir");
    await press(dialog("Add to Group"), "Create Group");
    expect(said()).toEqual(["Error creating group. Please try again."]);
    fireEvent.click(named("Family"));
    await press(dialog("Add to Group"), "Add");
    expect(said()).toContain("Error adding user to groups. Please try again.");
    expect(named("Family").checked).toBe(true);
  });
});

describe("a wish that takes a while", () => {
  const never = () => new Promise(() => undefined);
  const away = () => act(() => update((s) => ({ ...s, connection: { state: "offline", since: 2 } })));
  const SAVED = "Saved. It will go out when you're back online.";

  test("is said to be on its way, and to go out later when the line is away", async () => {
    await show([FAMILY], { "groups.create": never });
    type("New group name", "Walks");
    await press(page(), "Create Group");
    expect(screen.queryByText("Sending")).toBe(null);
    await pass(700);
    expect(screen.getByText("Sending")).toBeTruthy();
    away();
    expect(screen.getByText(SAVED)).toBeTruthy();
  });

  test("of every kind", async () => {
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
