import { beforeEach, describe, expect, test, vi } from "vitest";
import { FakeDesk, jpegBytes, lost } from "../../store/desk.testing";
import { hexOf } from "../../store/composing";
import { ANA, aProfile } from "../../store/testing";
import { toastList } from "../../ui/toast";
import { RefusedError } from "../../wire/ask";
import { HandClock } from "../../wire/testing";
import { PhotoChange } from "./photoChange";
import type { PhotoView } from "./photoChange";

const bytes = jpegBytes(200_000);
const photo = () => new File([bytes], "me.jpg", { type: "image/jpeg" });
const profile = aProfile({ ...ANA, photo_url: "/media/small" });

let desk: FakeDesk;
let clock: HandClock;
let changed: number;
let views: PhotoView[];
let change: PhotoChange;

const said = () => toastList.get().map((one) => one.message);
const sent = () => [...desk.held.keys()].map((upload) => Buffer.compare(desk.bytesOf(upload), bytes) === 0);

beforeEach(() => {
  toastList.clear();
  desk = new FakeDesk();
  desk.other = () => ({ profile, seq: 11 });
  clock = new HandClock();
  changed = 0;
  views = [];
  change = new PhotoChange({ ask: desk.ask, clock, changed: () => (changed += 1), fetched: () => Promise.resolve() });
  change.watch(() => views.push(change.get()));
});

describe("another photo of one's own", () => {
  test("is sent as a photo, shown meanwhile, and put in place", async () => {
    await change.choose(photo());
    expect(desk.ops("uploads.begin")[0]).toMatchObject({ purpose: "photo", name: "me.jpg", index: 0 });
    expect(sent()).toEqual([true]);
    const [put] = desk.ops("profiles.set_photo");
    expect(hexOf(put?.["upload"] as ArrayBuffer)).toBe([...desk.held.keys()][0]);
    expect(changed).toBe(1);
    expect(views.some((view) => view.phase === "sending" && view.preview !== null && view.percent > 0)).toBe(true);
    expect(change.get()).toMatchObject({ phase: "none", preview: null, error: null });
    expect(said()).toEqual([]);
  });

  test("more than five megabytes, and what is no picture, are told and never sent", async () => {
    await change.choose(new File([jpegBytes(5 * 1024 * 1024 + 1)], "me.jpg"));
    expect(change.get()).toMatchObject({ error: "File size must be less than 5MB", canRetry: false });
    await change.choose(new File(["hello"], "notes.jpg", { type: "image/jpeg" }));
    expect(change.get()).toMatchObject({ error: "notes.jpg is not a valid image file", canRetry: false });
    expect(desk.calls).toEqual([]);
    await change.choose(new File([jpegBytes(5 * 1024 * 1024)], "me.jpg"));
    expect(changed).toBe(1);
  });

  test("whoever leaves the page and comes back finds no old verdict on a file", async () => {
    await change.choose(new File(["hello"], "notes.jpg", { type: "image/jpeg" }));
    change.leave();
    expect(change.get().error).toBe(null);
    // What can be sent again is still there.
    desk.before = ({ op }) => {
      if (op === "uploads.commit") throw new RefusedError("storage_full", "The disk here is full. Nothing was saved.", null);
    };
    await change.choose(photo());
    change.leave();
    expect(change.get()).toMatchObject({ error: "The disk here is full. Nothing was saved.", canRetry: true });
  });

  test("a line that breaks in the middle goes on where it was", async () => {
    let breaks = 2;
    desk.before = ({ op, offset }) => {
      if (op !== "uploads.chunk" || offset === 0 || breaks === 0) return;
      breaks -= 1;
      throw lost();
    };
    await change.choose(photo());
    expect(sent()).toEqual([true]);
    expect(desk.ops("uploads.begin").length).toBeGreaterThan(1);
    expect(changed).toBe(1);
  });

  test("what the server finds in the file is said beside the chooser, without a way to try again", async () => {
    desk.before = ({ op }) => {
      if (op === "uploads.commit") throw new RefusedError("not_a_picture", "me.jpg is not a valid image file", "pictures");
    };
    await change.choose(photo());
    expect(change.get()).toMatchObject({ phase: "none", preview: null, error: "me.jpg is not a valid image file", canRetry: false });
    expect(said()).toEqual([]);
  });

  test("a failure says so and is kept: trying again sends nothing twice and changes the photo once", async () => {
    let refuses = true;
    desk.before = ({ op }) => {
      if (op === "profiles.set_photo" && refuses) throw new RefusedError("slow_down", "Slowly, please.", null, 60_000);
    };
    await change.choose(photo());
    expect(said()).toEqual(["Error uploading image. Please try again."]);
    expect(change.get()).toMatchObject({ phase: "none", error: "Slowly, please.", canRetry: true });
    const chunks = desk.ops("uploads.chunk").length;
    refuses = false;
    await change.retry();
    expect(desk.ops("uploads.chunk")).toHaveLength(chunks);
    const keys = desk.ops("profiles.set_photo").map((call) => hexOf(call["key"] as ArrayBuffer));
    expect(new Set(keys).size).toBe(1);
    expect(changed).toBe(1);
    expect(change.get().error).toBe(null);
  });

  test("an upload that the server let go meanwhile is sent anew", async () => {
    let isFirst = true;
    desk.before = ({ op }) => {
      if (op !== "profiles.set_photo" || !isFirst) return;
      isFirst = false;
      desk.held.clear();
      throw new RefusedError("upload_gone", "Gone.");
    };
    await change.choose(photo());
    expect(sent()).toEqual([true]);
    expect(changed).toBe(1);
  });

  test("another file takes the place of the one that is on its way", async () => {
    let open: () => void = () => undefined;
    const door = new Promise<void>((resolve) => (open = resolve));
    desk.before = ({ op, name }) => (op === "uploads.begin" && name === "slow.jpg" ? door : undefined);
    const first = change.choose(new File([jpegBytes(9_000, 2)], "slow.jpg"));
    await vi.waitFor(() => expect(desk.ops("uploads.begin")).toHaveLength(1));
    const second = change.choose(photo());
    open();
    await Promise.all([first, second]);
    expect(changed).toBe(1);
    expect(desk.ops("profiles.set_photo")).toHaveLength(1);
  });

  test("after a log-out nothing more is sent, and nothing is shown", async () => {
    desk.before = ({ op }) => {
      if (op === "uploads.chunk") throw new RefusedError("abandoned", "You have logged out.");
    };
    await change.choose(photo());
    expect(change.get()).toMatchObject({ phase: "none", error: null, preview: null });
    expect(said()).toEqual([]);
  });
});
