import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { toastList } from "../../ui/toast";
import { RefusedError } from "../../engine/ask";
import { apply } from "../../engine/apply";
import { loadProfile } from "../shared/people/profiles";
import { store, update, useStore } from "../../engine/store";
import { ANA, aProfile, anasFeed } from "../../testing/fixtures";
import { ChangePhoto } from "./ChangePhoto";
import { ProfileHead } from "./ProfileHead";
import { toasts } from "../../testing/toasts";

const ask = vi.hoisted(() => vi.fn());
vi.mock("../../engine/client", () => ({ ask, client: {} }));

function Shown({ id }: { id: number }) {
  const profile = useStore((s) => s.profiles[id]);
  return profile === undefined ? null : (
    <ProfileHead
      profile={profile}
      follow={<button type="button">Follow</button>}
      onOpen={(side) => opened.push(side)}
      change={<span>Change Photo</span>}
    />
  );
}

const opened: string[] = [];
const mine = aProfile({
  ...ANA,
  bio: "Tea\nand https://example.org",
  from_color: "red",
  to_color: "green",
  followers_count: 1,
  following_count: 3,
});
const { followed: _followed, ...plain } = mine;
const show = (profile = mine) => {
  update((s) => loadProfile(s, profile, 10));
  return render(<Shown id={profile.id} />);
};
const field = (name: string) => screen.getByRole<HTMLInputElement>("textbox", { name });
const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));
const type = (name: string, value: string) => fireEvent.change(field(name), { target: { value } });
const pick = (group: string, name: string) =>
  fireEvent.click(within(screen.getByRole("radiogroup", { name: group })).getByRole("radio", { name }));
const picked = (group: string) =>
  within(screen.getByRole("radiogroup", { name: group })).getByRole<HTMLInputElement>("radio", {
    checked: true,
  }).value;

async function edit() {
  const shown = show();
  press("Edit Profile");
  await screen.findByRole("form", { name: "Edit Profile" });
  return shown;
}

beforeEach(() => {
  ask.mockReset();
  opened.length = 0;
  toastList.clear();
  store.setState(anasFeed([]), true);
});
afterEach(cleanup);

describe("a profile", () => {
  test("of the viewer has banner, name, bio with links, and counts that open the lists", () => {
    show();
    expect(screen.getByRole("img", { name: "Banner from red to green" })).toBeTruthy();
    expect(screen.getByRole("heading", { level: 1, name: "Ana" })).toBeTruthy();
    expect(screen.getByRole("link", { name: "https://example.org" })).toBeTruthy();
    press("1 follower");
    press("3 following");
    expect(opened).toEqual(["followers", "following"]);
    expect(screen.queryByRole("button", { name: "Follow" })).toBe(null);
  });

  test("of another user has counts as text, no hidden counts, and nothing to edit", () => {
    show(aProfile({ followers_count: 3 }));
    expect(screen.getByText("3 followers").tagName).toBe("SPAN");
    expect(screen.getByRole("button", { name: "Follow" })).toBeTruthy();
    for (const name of ["Edit Profile", "Change Photo"]) expect(screen.queryByText(name)).toBe(null);
    act(() =>
      update((s) =>
        apply(s, {
          ev: "profiles.changed",
          seq: 11,
          profile: { ...plain, id: 2, name: "Ben", followers_count: null, following_count: null },
        }),
      ),
    );
    expect(screen.queryByText(/follower|following/)).toBe(null);
  });

  test("has initials without a photo, and a photo that opens in the picture viewer", async () => {
    const { container } = show(aProfile());
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Enlarge photo" }).disabled).toBe(true);
    expect(container.querySelector("img")).toBe(null);
    const photo = { url: "/media/large", width: 800, height: 800, thumbhash: "" };
    act(() =>
      update((s) =>
        apply(s, {
          ev: "profiles.changed",
          seq: 11,
          profile: { ...plain, id: 2, name: "Ben", photo_url: "/media/small", photo },
        }),
      ),
    );
    const picture = within(screen.getByRole("button", { name: "Enlarge photo" })).getByRole("img");
    expect(picture.getAttribute("src")).toBe("/media/small");
    // The name of the button contains the words in it.
    expect("enlarge photo").toContain(picture.getAttribute("alt")?.toLowerCase());
    press("Enlarge photo");
    const viewer = await screen.findByRole("dialog", { name: "Picture viewer" });
    expect(within(viewer).getByRole("img").getAttribute("src")).toBe("/media/large");
  });

  test("can be shared by copying its link, or shows the link if copying fails", async () => {
    const writeText = vi.fn().mockResolvedValueOnce(undefined).mockRejectedValueOnce(new Error("no"));
    vi.stubGlobal("navigator", { clipboard: { writeText } });
    show();
    press("Share Profile");
    await vi.waitFor(() => expect(toasts()).toEqual(["Profile link copied to clipboard!"]));
    press("Share Profile");
    const link = `${location.origin}/profile/1`;
    await vi.waitFor(() => expect(toasts()).toContain(`Unable to copy link. Please copy manually: ${link}`));
    vi.unstubAllGlobals();
  });
});

describe("editing the viewer's profile", () => {
  test("shows fields with counters, focuses the first, and previews the banner", async () => {
    await edit();
    expect([field("Display name").value, field("Bio").value]).toEqual([
      "Ana",
      "Tea\nand https://example.org",
    ]);
    expect(screen.getByText("3/50")).toBeTruthy();
    expect([picked("From color"), picked("To color")]).toEqual(["red", "green"]);
    pick("From color", "Purple");
    pick("To color", "Yellow");
    expect(screen.getByRole("img", { name: "Banner from purple to yellow" })).toBeTruthy();
    await vi.waitFor(() => expect(document.activeElement).toBe(field("Display name")));
    press("Cancel");
    expect(screen.getByRole("img", { name: "Banner from red to green" })).toBeTruthy();
    await vi.waitFor(() =>
      expect(document.activeElement).toBe(screen.getByRole("button", { name: "Edit Profile" })),
    );
    expect(ask).not.toHaveBeenCalled();
  });

  test("sends all four trimmed values when it is saved, and closes the fields", async () => {
    await edit();
    type("Display name", "  Ana Lima ");
    pick("To color", "Blue");
    ask.mockResolvedValue({ profile: { ...mine, name: "Ana Lima", to_color: "blue" }, seq: 11 });
    press("Save");
    await screen.findByRole("button", { name: "Edit Profile" });
    expect(ask.mock.calls[0]?.[1]).toMatchObject({
      name: "Ana Lima",
      bio: mine.bio,
      from_color: "red",
      to_color: "blue",
    });
    expect(screen.getByRole("heading", { level: 1, name: "Ana Lima" })).toBeTruthy();
  });

  test("shows an error beside its field until it is corrected", async () => {
    await edit();
    type("Display name", "  ");
    press("Save");
    expect(screen.getByRole("alert").textContent).toBe("Please enter a name.");
    expect(field("Display name").getAttribute("aria-invalid")).toBe("true");
    type("Display name", "Ana");
    expect(screen.queryByRole("alert")).toBe(null);
    type("Bio", "x".repeat(301));
    expect(screen.getByText("301/300")).toBeTruthy();
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Save" }).disabled).toBe(true);
    type("Bio", "short");
    ask.mockRejectedValue(new RefusedError("invalid", "This name is not for you.", "name"));
    press("Save");
    expect((await screen.findByRole("alert")).textContent).toBe("This name is not for you.");
    expect(document.activeElement).toBe(field("Display name"));
  });

  test("keeps the text after a failure, says so, and the next press has the same key", async () => {
    await edit();
    type("Bio", "New words");
    ask.mockRejectedValue(new RefusedError("busy", "Mellow is busy.", null, 1_000));
    press("Save");
    await vi.waitFor(() => expect(toasts()).toEqual(["Error updating profile. Please try again."]));
    expect(field("Bio").value).toBe("New words");
    expect(await screen.findByText("Mellow is busy. Your words are kept.")).toBeTruthy();
    press("Save");
    await vi.waitFor(() => expect(ask).toHaveBeenCalledTimes(2));
    expect(ask.mock.calls[1]?.[1].key).toBe(ask.mock.calls[0]?.[1].key);
  });

  test("shows a change of another tab in untouched fields, and typed text stays", async () => {
    const { unmount } = await edit();
    type("Bio", "Mine");
    act(() =>
      update((s) =>
        apply(s, {
          ev: "profiles.changed",
          seq: 11,
          profile: { ...plain, name: "Ana Maria", bio: "Theirs", from_color: "blue" },
        }),
      ),
    );
    expect([field("Display name").value, field("Bio").value, picked("From color")]).toEqual([
      "Ana Maria",
      "Mine",
      "blue",
    ]);
    unmount();
    render(<Shown id={1} />);
    expect(field("Bio").value).toBe("Mine");
  });
});

describe("changing the photo", () => {
  const chooser = () => screen.getByLabelText<HTMLInputElement>("Change Photo");
  const file = new File(["x"], "me.jpg", { type: "image/jpeg" });

  test("uploads the chosen file, and shows an error with a retry beside it", () => {
    const files: File[] = [];
    let retries = 0;
    const shown = (error: string | null, canRetry: boolean, busy = false) => (
      <ChangePhoto
        busy={busy}
        error={error}
        canRetry={canRetry}
        onFile={(one) => files.push(one)}
        onRetry={() => (retries += 1)}
      />
    );
    const { rerender } = render(shown(null, false));
    fireEvent.change(chooser(), { target: { files: [file] } });
    expect(files).toEqual([file]);
    rerender(shown(null, false, true));
    expect(chooser().disabled).toBe(true);
    rerender(shown("File size must be less than 5MB", false));
    expect(screen.getByRole("alert").textContent).toBe("File size must be less than 5MB");
    expect(chooser().getAttribute("aria-invalid")).toBe("true");
    expect(screen.queryByRole("button", { name: "Try again" })).toBe(null);
    rerender(shown("It didn't get through.", true));
    press("Try again");
    expect(retries).toBe(1);
  });

  test("has the focus if the address names it, which it does once", () => {
    history.replaceState(null, "", "/profile/1?x=1#change-photo");
    render(<ChangePhoto busy={false} error={null} canRetry={false} onFile={vi.fn()} onRetry={vi.fn()} />);
    expect(document.activeElement).toBe(chooser());
    expect(location.pathname + location.search + location.hash).toBe("/profile/1?x=1");
    history.replaceState(null, "", "/");
  });
});
