import { beforeEach, describe, expect, test, vi } from "vitest";
import { FakeUploadServer, jpegBytes, lost } from "../../testing/fakeUploads";
import { hexOf } from "../../features/shared/postDraft";
import { ANA, aProfile } from "../../testing/fixtures";
import { toastList } from "../../ui/toast";
import { RefusedError } from "../../engine/ask";
import { ManualClock } from "../../testing/fakeSocket";
import { PhotoChange } from "./photoChange";
import type { PhotoView } from "./photoChange";

const bytes = jpegBytes(200_000);
const photo = () => new File([bytes], "me.jpg", { type: "image/jpeg" });
const profile = aProfile({ ...ANA, photo_url: "/media/small" });

let uploads: FakeUploadServer;
let clock: ManualClock;
let changed: number;
let views: PhotoView[];
let change: PhotoChange;

const said = () => toastList.get().map((one) => one.message);
const sent = () =>
  [...uploads.held.keys()].map((upload) => Buffer.compare(uploads.bytesOf(upload), bytes) === 0);

beforeEach(() => {
  toastList.clear();
  uploads = new FakeUploadServer();
  uploads.other = () => ({ profile, seq: 11 });
  clock = new ManualClock();
  changed = 0;
  views = [];
  change = new PhotoChange({
    ask: uploads.ask,
    clock,
    changed: () => (changed += 1),
    fetched: () => Promise.resolve(),
  });
  change.watch(() => views.push(change.get()));
});

describe("another photo of one's own", () => {
  test("is sent as a photo, shown meanwhile, and put in place", async () => {
    await change.choose(photo());
    expect(uploads.ops("uploads.begin")[0]).toMatchObject({ purpose: "photo", name: "me.jpg", index: 0 });
    expect(sent()).toEqual([true]);
    const [put] = uploads.ops("profiles.set_photo");
    expect(hexOf(put?.["upload"] as ArrayBuffer)).toBe([...uploads.held.keys()][0]);
    expect(changed).toBe(1);
    expect(views.some((view) => view.phase === "sending" && view.preview !== null && view.percent > 0)).toBe(
      true,
    );
    expect(change.get()).toMatchObject({ phase: "none", preview: null, error: null });
    expect(said()).toEqual([]);
  });

  test("more than five megabytes, and what is no picture, are told and never sent", async () => {
    await change.choose(new File([jpegBytes(5 * 1024 * 1024 + 1)], "me.jpg"));
    expect(change.get()).toMatchObject({ error: "File size must be less than 5MB", canRetry: false });
    await change.choose(new File(["hello"], "notes.jpg", { type: "image/jpeg" }));
    expect(change.get()).toMatchObject({ error: "notes.jpg is not a valid image file", canRetry: false });
    expect(uploads.calls).toEqual([]);
    await change.choose(new File([jpegBytes(5 * 1024 * 1024)], "me.jpg"));
    expect(changed).toBe(1);
  });

  test("whoever leaves the page and comes back finds no old verdict on a file", async () => {
    await change.choose(new File(["hello"], "notes.jpg", { type: "image/jpeg" }));
    change.leave();
    expect(change.get().error).toBe(null);
    // What can be sent again is still there.
    uploads.before = ({ op }) => {
      if (op === "uploads.commit")
        throw new RefusedError("storage_full", "The disk here is full. Nothing was saved.", null);
    };
    await change.choose(photo());
    change.leave();
    expect(change.get()).toMatchObject({
      error: "The disk here is full. Nothing was saved.",
      canRetry: true,
    });
  });

  test("a connection that breaks in the middle goes on where it was", async () => {
    let breaks = 2;
    uploads.before = ({ op, offset }) => {
      if (op !== "uploads.chunk" || offset === 0 || breaks === 0) return;
      breaks -= 1;
      throw lost();
    };
    await change.choose(photo());
    expect(sent()).toEqual([true]);
    expect(uploads.ops("uploads.begin").length).toBeGreaterThan(1);
    expect(changed).toBe(1);
  });

  test("what the server finds in the file is said beside the chooser, without a way to try again", async () => {
    uploads.before = ({ op }) => {
      if (op === "uploads.commit")
        throw new RefusedError("not_a_picture", "me.jpg is not a valid image file", "pictures");
    };
    await change.choose(photo());
    expect(change.get()).toMatchObject({
      phase: "none",
      preview: null,
      error: "me.jpg is not a valid image file",
      canRetry: false,
    });
    expect(said()).toEqual([]);
  });

  test("a failure says so and is kept: trying again sends nothing twice and changes the photo once", async () => {
    let refuses = true;
    uploads.before = ({ op }) => {
      if (op === "profiles.set_photo" && refuses)
        throw new RefusedError("slow_down", "Slowly, please.", null, 60_000);
    };
    await change.choose(photo());
    expect(said()).toEqual(["Error uploading image. Please try again."]);
    expect(change.get()).toMatchObject({ phase: "none", error: "Slowly, please.", canRetry: true });
    const chunks = uploads.ops("uploads.chunk").length;
    refuses = false;
    await change.retry();
    expect(uploads.ops("uploads.chunk")).toHaveLength(chunks);
    const keys = uploads.ops("profiles.set_photo").map((call) => hexOf(call["key"] as ArrayBuffer));
    expect(new Set(keys).size).toBe(1);
    expect(changed).toBe(1);
    expect(change.get().error).toBe(null);
  });

  test("an upload that the server let go meanwhile is sent anew", async () => {
    let isFirst = true;
    uploads.before = ({ op }) => {
      if (op !== "profiles.set_photo" || !isFirst) return;
      isFirst = false;
      uploads.held.clear();
      throw new RefusedError("upload_gone", "Gone.");
    };
    await change.choose(photo());
    expect(sent()).toEqual([true]);
    expect(changed).toBe(1);
  });

  test("another file takes the place of the one that is on its way", async () => {
    let open: () => void = () => undefined;
    const door = new Promise<void>((resolve) => (open = resolve));
    uploads.before = ({ op, name }) => (op === "uploads.begin" && name === "slow.jpg" ? door : undefined);
    const first = change.choose(new File([jpegBytes(9_000, 2)], "slow.jpg"));
    await vi.waitFor(() => expect(uploads.ops("uploads.begin")).toHaveLength(1));
    const second = change.choose(photo());
    open();
    await Promise.all([first, second]);
    expect(changed).toBe(1);
    expect(uploads.ops("profiles.set_photo")).toHaveLength(1);
  });

  test("after a log-out nothing more is sent, and nothing is shown", async () => {
    uploads.before = ({ op }) => {
      if (op === "uploads.chunk") throw new RefusedError("abandoned", "You have logged out.");
    };
    await change.choose(photo());
    expect(change.get()).toMatchObject({ phase: "none", error: null, preview: null });
    expect(said()).toEqual([]);
  });
});
