import { beforeEach, describe, expect, test, vi } from "vitest";
import { FakeUploadServer, jpegBytes, lost } from "../../testing/fakeUploads";
import { hexOf } from "../../features/shared/postDraft";
import { ANA, aProfile } from "../../testing/fixtures";
import { toastList } from "../../ui/toast";
import { RefusedError } from "../../engine/ask";
import { ManualClock } from "../../testing/fakeSocket";
import { PhotoChange } from "./photoChange";
import type { PhotoView } from "./photoChange";
import { toasts } from "../../testing/toasts";

const bytes = jpegBytes(200_000);
const photo = () => new File([bytes], "me.jpg", { type: "image/jpeg" });
const profile = aProfile({ ...ANA, photo_url: "/media/small" });

let uploads: FakeUploadServer;
let clock: ManualClock;
let changed: number;
let views: PhotoView[];
let change: PhotoChange;

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

describe("changing the profile photo", () => {
  test("uploads the file, previews it, and sets it", async () => {
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
    expect(toasts()).toEqual([]);
  });

  test("refuses files over five megabytes and files that are no picture, and sends neither", async () => {
    await change.choose(new File([jpegBytes(5 * 1024 * 1024 + 1)], "me.jpg"));
    expect(change.get()).toMatchObject({ error: "File size must be less than 5MB", canRetry: false });
    await change.choose(new File(["hello"], "notes.jpg", { type: "image/jpeg" }));
    expect(change.get()).toMatchObject({ error: "notes.jpg is not a valid image file", canRetry: false });
    expect(uploads.calls).toEqual([]);
    await change.choose(new File([jpegBytes(5 * 1024 * 1024)], "me.jpg"));
    expect(changed).toBe(1);
  });

  test("a page with a photo that is on its way asks before it is closed, and not afterwards", async () => {
    const asks = (): boolean => {
      const closing = new Event("beforeunload", { cancelable: true });
      dispatchEvent(closing);
      return closing.defaultPrevented;
    };
    const asked: [string, boolean][] = [];
    change.watch(() => asked.push([change.get().phase, asks()]));
    expect(asks()).toBe(false);
    await change.choose(photo());
    expect(asked).toContainEqual(["looking", true]);
    expect(asked).toContainEqual(["sending", true]);
    expect(asks()).toBe(false);
    // A photo that failed is on this page alone, until it is sent again or the user logs out.
    uploads.before = ({ op }) => {
      if (op === "uploads.commit")
        throw new RefusedError("storage_full", "The disk here is full. Nothing was saved.", null);
    };
    await change.choose(photo());
    expect([change.get().canRetry, asks()]).toEqual([true, true]);
    change.stop();
    expect(asks()).toBe(false);
  });

  test("shows no old error after leaving the page and returning", async () => {
    await change.choose(new File(["hello"], "notes.jpg", { type: "image/jpeg" }));
    change.leave();
    expect(change.get().error).toBe(null);
    // A file that can be sent again is still there.
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

  test("continues an upload after a lost connection", async () => {
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

  test("shows the server's refusal of a file beside the chooser, without a retry", async () => {
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
    expect(toasts()).toEqual([]);
  });

  test("shows a failure and keeps the file: a retry sends nothing twice and sets the photo once", async () => {
    let refuses = true;
    uploads.before = ({ op }) => {
      if (op === "profiles.set_photo" && refuses)
        throw new RefusedError("slow_down", "Slowly, please.", null, 60_000);
    };
    await change.choose(photo());
    expect(toasts()).toEqual(["Error uploading image. Please try again."]);
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

  test("sends a file again if the server has deleted the upload meanwhile", async () => {
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

  test("replaces a running upload with another file", async () => {
    let open: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (open = resolve));
    uploads.before = ({ op, name }) => (op === "uploads.begin" && name === "slow.jpg" ? held : undefined);
    const first = change.choose(new File([jpegBytes(9_000, 2)], "slow.jpg"));
    await vi.waitFor(() => expect(uploads.ops("uploads.begin")).toHaveLength(1));
    const second = change.choose(photo());
    open();
    await Promise.all([first, second]);
    expect(changed).toBe(1);
    expect(uploads.ops("profiles.set_photo")).toHaveLength(1);
  });

  test("sends nothing and shows nothing after logging out", async () => {
    uploads.before = ({ op }) => {
      if (op === "uploads.chunk") throw new RefusedError("abandoned", "You have logged out.");
    };
    await change.choose(photo());
    expect(change.get()).toMatchObject({ phase: "none", error: null, preview: null });
    expect(toasts()).toEqual([]);
  });
});
