import { beforeEach, describe, expect, test, vi } from "vitest";
import { RefusedError } from "../../engine/ask";
import { ManualClock } from "../../testing/fakeSocket";
import { FakeUploadServer, jpegBytes, lost } from "../../testing/fakeUploads";
import { GIVE_UP_MS, STUCK_MAX, StoppedError, Upload, UploadFailedError, oneByOne } from "./upload";

const SIZE = 500_000;
const name = "0123456789abcdef0123456789abcdef";
const bytes = jpegBytes(SIZE);

let uploads: FakeUploadServer;
let clock: ManualClock;
let progress: number[];

const anUpload = (blob: Blob = new Blob([bytes]), inTurn = oneByOne()): Upload => {
  const upload: Upload = new Upload({
    note: { upload: name, name: "harbour.jpg", type: "image/jpeg", size: blob.size, index: 2, alt: "" },
    blob,
    ask: uploads.ask,
    clock,
    inTurn,
    progressed: () => progress.push(upload.acked),
  });
  return upload;
};

/** Returns whether every byte has arrived unchanged. */
const arrived = (): boolean => Buffer.compare(uploads.bytesOf(name), bytes) === 0;

beforeEach(() => {
  uploads = new FakeUploadServer();
  clock = new ManualClock();
  progress = [];
});

describe("an upload", () => {
  test("arrives whole, in chunks no larger and no more at once than the server allows", async () => {
    uploads.before = () => new Promise((resolve) => setTimeout(resolve, 1));
    await anUpload().send();
    expect(arrived()).toBe(true);
    expect(uploads.held.get(name)?.isJudged).toBe(true);
    expect(uploads.ops("uploads.begin")).toMatchObject([
      { name: "harbour.jpg", size_bytes: SIZE, content_type: "image/jpeg", index: 2 },
    ]);
    expect(uploads.mostUnanswered).toBe(4);
    for (const { bytes: piece } of uploads.ops("uploads.chunk"))
      expect((piece as ArrayBuffer).byteLength).toBeLessThanOrEqual(uploads.chunkBytes);
  });

  test("reads the file chunk by chunk, never whole", async () => {
    const blob = new Blob([bytes]);
    const whole = vi.spyOn(blob, "arrayBuffer");
    const cut = vi.spyOn(blob, "slice");
    await anUpload(blob).send();
    expect(whole).not.toHaveBeenCalled();
    for (const [from = 0, to = SIZE] of cut.mock.calls)
      expect(to - from).toBeLessThanOrEqual(uploads.chunkBytes);
  });

  test("reports only acknowledged bytes as progress", async () => {
    let most = 0;
    uploads.before = () => {
      most = Math.max(most, ...progress, 0);
      expect(most).toBeLessThanOrEqual(uploads.bytesOf(name).length);
    };
    await anUpload().send();
    expect(progress.at(-1)).toBe(SIZE);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
  });

  test("continues after three lost connections, and sends no acknowledged byte twice", async () => {
    let chunks = 0;
    let cuts = 0;
    uploads.before = ({ op }) => {
      if (op !== "uploads.chunk") return;
      chunks += 1;
      if (chunks % 4 === 0 && cuts < 3) {
        cuts += 1;
        throw lost();
      }
    };
    const upload = anUpload();
    await upload.send();
    expect(cuts).toBe(3);
    expect(arrived()).toBe(true);
    // Each time it asks how much has arrived, and continues from there.
    const asked = uploads.calls.filter(({ op }) => op === "uploads.begin" || op === "uploads.chunk");
    expect(asked.filter(({ op }) => op === "uploads.begin")).toHaveLength(4);
    const after = asked.flatMap((call, at) =>
      at > 0 && asked[at - 1]?.op === "uploads.begin" && call.op === "uploads.chunk" ? [call["offset"]] : [],
    );
    expect(after[0]).toBe(0);
    for (const offset of after.slice(1)) expect(offset).toBeGreaterThan(0);
  });

  test("asks again if the last reply was lost, and sends nothing again", async () => {
    let first = true;
    uploads.before = ({ op }) => {
      if (op === "uploads.commit" && first) {
        first = false;
        throw lost();
      }
    };
    await anUpload().send();
    const sent = uploads
      .ops("uploads.chunk")
      .reduce((sum, call) => sum + (call["bytes"] as ArrayBuffer).byteLength, 0);
    expect(sent).toBe(SIZE);
    expect(uploads.ops("uploads.commit")).toHaveLength(2);
  });

  test("starts again with the same id if the server has deleted it", async () => {
    let first = true;
    uploads.before = ({ op }) => {
      if (op === "uploads.commit" && first) {
        first = false;
        uploads.held.clear();
      }
    };
    await anUpload().send();
    expect(arrived()).toBe(true);
    expect(progress).toContain(0);
  });

  test("fails if the server deletes it too often", async () => {
    uploads.before = ({ op }) => {
      if (op === "uploads.commit") uploads.held.clear();
    };
    await expect(anUpload().send()).rejects.toThrow("harbour.jpg didn't get through. It's still here.");
  });

  test("waits as long as a busy server asks, and continues without starting again", async () => {
    let busy = true;
    uploads.before = ({ op }) => {
      if (op === "uploads.chunk" && busy) throw new RefusedError("slow_down", "Please wait.", null, 2_000);
    };
    const sending = anUpload().send();
    await vi.waitFor(() => expect(uploads.unanswered).toBe(0));
    await new Promise((resolve) => setTimeout(resolve, 10));
    const before = uploads.calls.length;
    busy = false;
    clock.pass(1_900);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(uploads.calls).toHaveLength(before);
    clock.pass(200);
    await sending;
    expect(uploads.ops("uploads.begin")).toHaveLength(1);
    expect(arrived()).toBe(true);
  });

  test("fails with the server's message if the server refuses or asks to wait for hours", async () => {
    const refusals: RefusedError[] = [
      new RefusedError("slow_down", "That's enough pictures for today.", null, 3_600_000),
      new RefusedError("not_a_picture", "harbour.jpg is not a valid image file", "pictures"),
      new RefusedError("storage_full", "Nothing was saved: the disk is full.", null, 1_000),
    ];
    for (const no of refusals) {
      uploads.before = () => {
        throw no;
      };
      await expect(anUpload().send()).rejects.toThrow(no.message);
    }
  });

  test("fails after ten minutes without progress, and can be tried again", async () => {
    uploads.before = () => {
      clock.pass(GIVE_UP_MS / 3);
      throw lost();
    };
    const upload = anUpload();
    await expect(upload.send()).rejects.toThrow(UploadFailedError);
    uploads.before = () => undefined;
    await upload.send();
    expect(arrived()).toBe(true);
  });

  test("fails if the connection is lost at every attempt, instead of trying for ever", async () => {
    uploads.before = ({ op }) => {
      if (op === "uploads.commit") throw lost();
    };
    await expect(anUpload().send()).rejects.toThrow(UploadFailedError);
    expect(uploads.ops("uploads.commit").length).toBeLessThanOrEqual(STUCK_MAX + 2);
  });

  test("fails with the name of the file if the file can no longer be read", async () => {
    const blob = new Blob([bytes]);
    vi.spyOn(blob, "slice").mockImplementation(() => {
      throw new DOMException("gone", "NotReadableError");
    });
    await expect(anUpload(blob).send()).rejects.toThrow(
      "harbour.jpg can't be read any more. Please add it again.",
    );
  });

  test("stops at once, also without a reply, and can continue later", async () => {
    let open = false;
    uploads.before = ({ op }) =>
      op === "uploads.chunk" && !open && uploads.ops("uploads.chunk").length > 3
        ? new Promise(() => undefined)
        : undefined;
    const upload = anUpload();
    const sending = upload.send();
    await vi.waitFor(() => expect(upload.acked).toBeGreaterThan(0));
    upload.stop();
    await expect(sending).rejects.toBeInstanceOf(StoppedError);
    expect(uploads.ops("uploads.cancel")).toHaveLength(0);
    open = true;
    const acked = upload.acked;
    await upload.send();
    expect(arrived()).toBe(true);
    expect(uploads.ops("uploads.begin")).toHaveLength(2);
    expect(acked).toBeGreaterThan(0);
  });

  test("is cancelled on the server too, but only if it was begun", async () => {
    const upload = anUpload();
    upload.cancel();
    expect(uploads.calls).toEqual([]);
    await upload.send();
    upload.cancel();
    expect(uploads.ops("uploads.cancel")).toHaveLength(1);
    expect(upload.isSent).toBe(false);
  });

  test("sends nothing at its turn if it was stopped while it waited for the turn", async () => {
    const inTurn = oneByOne();
    let free = (): void => undefined;
    void inTurn(() => new Promise<void>((resolve) => (free = resolve)));
    const upload = anUpload(new Blob([bytes]), inTurn);
    const sending = upload.send();
    upload.stop();
    await expect(sending).rejects.toBeInstanceOf(StoppedError);
    free();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(uploads.calls).toEqual([]);
  });

  test("sends smaller chunks on a slow connection, so that other requests are not delayed", async () => {
    uploads.before = ({ op }) => {
      if (op === "uploads.chunk") clock.pass(2_000);
    };
    await anUpload().send();
    const sizes = uploads.ops("uploads.chunk").map((call) => (call["bytes"] as ArrayBuffer).byteLength);
    expect(Math.min(...sizes.slice(0, -1))).toBe(4 * 1024);
    expect(arrived()).toBe(true);
  });
});
