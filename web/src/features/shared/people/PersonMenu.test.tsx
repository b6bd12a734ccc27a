import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { State } from "../../../engine/state";
import { store, update, useStore } from "../../../engine/store";
import { anasFeed, aProfile, aView, BEN } from "../../../testing/fixtures";
import { answer, ask, asked, refuse } from "../../../testing/mockClient";
import { toastList } from "../../../ui/toast";
import { PersonMenu } from "./PersonMenu";
import { hiddenChanged } from "./hidden";
import { loadProfile } from "./profiles";
import { toasts } from "../../../testing/toasts";

vi.mock("../../../engine/client", () => import("../../../testing/mockClient"));

const items = () => screen.getAllByRole("menuitem").map((item) => item.textContent);
const open = (menu: string) => act(async () => fireEvent.click(screen.getByRole("button", { name: menu })));
const choose = (name: string) => act(async () => fireEvent.click(screen.getByRole("menuitem", { name })));
const press = (name: string) => act(async () => fireEvent.click(screen.getByRole("button", { name })));

beforeEach(() => {
  ask.mockReset();
  toastList.clear();
  store.setState(anasFeed([]), true);
  answer({ "people.hidden": () => ({ blocked: [], muted: [], seq: 10 }) }, 11);
});
afterEach(cleanup);

test.each([
  ["post", "Post menu", "Report Post"],
  ["comment", "Comment menu", "Report Comment"],
  ["poll", "Poll menu", "Report Poll"],
  ["profile", "Profile menu", "Report Ben"],
] as const)("on a %s it is named for it, and mutes, blocks and reports", async (kind, name, report) => {
  render(<PersonMenu kind={kind} id={BEN.id} userId={BEN.id} />);
  await open(name);
  expect(items()).toEqual(["Mute Ben", "Block Ben", report]);
});

test("a follower can be removed only on their profile", async () => {
  update((s) => loadProfile(s, aProfile({ id: BEN.id, name: BEN.name, follows_me: true }), 10));
  render(<PersonMenu kind="profile" id={BEN.id} userId={BEN.id} />);
  await open("Profile menu");
  expect(items()).toContain("Remove Follower");
  await choose("Remove Follower");
  expect(asked("follows.remove")).toMatchObject([{ user_id: BEN.id }]);
  expect(toasts()).toEqual(["Follower removed"]);
  await open("Profile menu");
  expect(items()).not.toContain("Remove Follower");
});

test("a post can be saved and removed again, as the first item", async () => {
  store.setState(anasFeed([aView(100)]), true);
  answer({ "saved.set": ({ post_id, saved }) => ({ post_id, saved, seq: saved === true ? 11 : 12 }) }, 11);
  render(<PersonMenu kind="post" id={100} userId={BEN.id} />);
  await open("Post menu");
  expect(items()).toEqual(["Save Post", "Mute Ben", "Block Ben", "Report Post"]);
  await choose("Save Post");
  expect(toasts()).toEqual(["Post saved"]);
  await open("Post menu");
  expect(items()).toEqual(["Remove from Saved", "Mute Ben", "Block Ben", "Report Post"]);
  await choose("Remove from Saved");
  expect(toasts()).toEqual(["Post saved", "Removed from saved"]);
  expect(asked("saved.set")).toMatchObject([
    { post_id: 100, saved: true },
    { post_id: 100, saved: false },
  ]);
  await open("Post menu");
  expect(items()[0]).toBe("Save Post");
});

test("d-u10: a full list says what to do, and without a network there is nothing to save", async () => {
  store.setState(anasFeed([aView(100)]), true);
  const full = "You have 1,000 saved posts. Remove one first.";
  answer({ "saved.set": refuse("invalid", full, "post_id") }, 11);
  render(<PersonMenu kind="post" id={100} userId={BEN.id} />);
  await open("Post menu");
  await choose("Save Post");
  expect(toasts()).toEqual([full]);
  act(() => update((s) => ({ ...s, connection: { state: "offline", since: 0 } })));
  await open("Post menu");
  expect(items()).toEqual(["Mute Ben", "Block Ben", "Report Post"]);
});

test("a muted user can be unmuted", async () => {
  answer({ "people.hidden": () => ({ blocked: [], muted: [BEN], seq: 10 }) }, 11);
  render(<PersonMenu kind="post" id={100} userId={BEN.id} />);
  await open("Post menu");
  await choose("Unmute Ben");
  expect(asked("people.unmute")).toMatchObject([{ user_id: BEN.id }]);
  expect(toasts()).toEqual(["User unmuted"]);
});

test("a block asks first, explains itself, and says why if it is refused", async () => {
  render(<PersonMenu kind="post" id={100} userId={BEN.id} />);
  await open("Post menu");
  await choose("Block Ben");
  const dialog = screen.getByRole("alertdialog", { name: "Block Ben" });
  expect(dialog.textContent).toContain("You will not see each other anywhere on Mellow. Ben is not told.");
  await press("Cancel");
  expect([screen.queryByRole("alertdialog"), asked("people.block")]).toEqual([null, []]);

  answer({ "people.block": refuse("invalid", "You block as many people as one person can.") }, 11);
  await open("Post menu");
  await choose("Block Ben");
  await press("Block");
  expect(toasts()).toEqual(["You block as many people as one person can."]);

  answer({}, 12);
  await open("Post menu");
  await choose("Block Ben");
  await press("Block");
  expect(asked("people.block")).toHaveLength(2);
  expect(toasts()).toContain("User blocked");
});

describe("the focus after a card went with its author", () => {
  const [BENS, CLEOS, BENS_TOO] = [103, 102, 101];
  const mutesBen = (s: State) =>
    hiddenChanged(s, { ev: "people.changed", seq: 12, user_id: BEN.id, blocked: false, muted: true });

  /** A list in which nothing of Ben is shown once he is muted. */
  function List({ ids, kind }: { ids: number[]; kind: "post" | "poll" }) {
    const isMuted = useStore((s) => s.hidden.mutes[BEN.id] === true);
    return (
      <main>
        <h1>Your Space</h1>
        <ul>
          {ids
            .filter((id) => id === CLEOS || !isMuted)
            .map((id) => (
              <li
                key={id}
                tabIndex={-1}
                aria-label={`Item ${String(id)}`}
                data-item={kind === "post" ? id : undefined}
                data-poll={kind === "poll" ? id : undefined}
              >
                {id === BENS && <PersonMenu kind={kind} id={id} userId={BEN.id} />}
              </li>
            ))}
        </ul>
      </main>
    );
  }

  async function mutes(ids: number[], kind: "post" | "poll"): Promise<void> {
    render(<List ids={ids} kind={kind} />);
    await open(kind === "post" ? "Post menu" : "Poll menu");
    await choose("Mute Ben");
    act(() => update(mutesBen));
  }

  test.each(["post", "poll"] as const)("is on the next %s that stays", async (kind) => {
    await mutes([BENS, BENS_TOO, CLEOS], kind);
    await vi.waitFor(() => expect(document.activeElement?.getAttribute("aria-label")).toBe("Item 102"));
  });

  test("is on the one before if none comes after it", async () => {
    await mutes([CLEOS, BENS, BENS_TOO], "post");
    await vi.waitFor(() => expect(document.activeElement?.getAttribute("aria-label")).toBe("Item 102"));
  });

  test("is on the heading if nothing else is in the list", async () => {
    await mutes([BENS, BENS_TOO], "post");
    await vi.waitFor(() => expect(document.activeElement?.textContent).toBe("Your Space"));
  });

  test("is not moved if the mute was refused, and the card went for another reason", async () => {
    answer({ "people.mute": refuse("invalid", "You mute as many people as one person can.") }, 11);
    await mutes([BENS, CLEOS], "post");
    expect(toasts()).toEqual(["You mute as many people as one person can."]);
    expect(screen.queryByRole("listitem", { name: "Item 103" })).toBeNull();
    for (let frame = 0; frame < 4; frame += 1) await new Promise(requestAnimationFrame);
    expect(document.activeElement).toBe(document.body);
  });

  test("is on the heading of what takes the place of a profile after a block", async () => {
    answer({ "people.block": () => ({ seq: 12 }) }, 12);
    const page = (isGone: boolean) => (
      <main>
        <h1>{isGone ? "User not found" : "Ben"}</h1>
        {!isGone && <PersonMenu kind="profile" id={BEN.id} userId={BEN.id} />}
      </main>
    );
    const { rerender } = render(page(false));
    await open("Profile menu");
    await choose("Block Ben");
    await press("Block");
    rerender(page(true));
    await vi.waitFor(() => expect(document.activeElement?.textContent).toBe("User not found"));
  });
});
